// Compares the vault behind its HTTP door with a model of what it promises. Any accounts make any calls in any order, while
// keys are rotated, time goes by and retention runs.

import test from 'ava';
import fc from 'fast-check';
import { databases } from '../helpers/database.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { modelRuns } from '../helpers/runs.ts';
import { openThirdParty } from '../helpers/third-party.ts';
import { CARD_COMMANDS, OPENING } from '../helpers/vault-card-commands.ts';
import { CVV_COMMANDS } from '../helpers/vault-cvv-commands.ts';
import { VaultModel } from '../helpers/vault-model.ts';
import { compareAll, openVaultWorld, removeAll } from '../helpers/vault-model-world.ts';
import { USE_COMMANDS } from '../helpers/vault-use-commands.ts';

const RUNS = modelRuns(35);
const COMMANDS = [...CARD_COMMANDS, ...CVV_COMMANDS, ...USE_COMMANDS];

for (const dialect of databases) {
	test(`${dialect}: whatever is called in whatever order, every account sees what it should and nothing stays behind`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const party = await openThirdParty(t);
		let tokens = 0;
		await fc.assert(
			fc.asyncProperty(OPENING, fc.commands(COMMANDS, { maxCommands: 40, size: 'max' }), async (opening, commands) => {
				const world = await openVaultWorld(parts, party);
				const model = new VaultModel(() => parts.clock.now().getTime());
				await fc.asyncModelRun(() => ({ model, real: world }), [...opening, ...commands]);
				await compareAll(model, world);
				await removeAll(model, world);
				tokens += model.all.length;
			}),
			{ ...RUNS, includeErrorInReport: true },
		);
		t.true(tokens > RUNS.numRuns, 'the calls made something to look at');
	});
}
