// Moves a vault in which anything happened to another installation, and compares what every account sees there with the same
// model. After that, anything goes on there under the tokens that came along.

import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import test from 'ava';
import fc from 'fast-check';
import { databases } from '../helpers/database.ts';
import { makeFolder } from '../helpers/file-parts.ts';
import { type HttpApp, openHttpApp } from '../helpers/http-app.ts';
import { modelRuns } from '../helpers/runs.ts';
import { openThirdParty } from '../helpers/third-party.ts';
import { CARD_COMMANDS, OPENING } from '../helpers/vault-card-commands.ts';
import { CVV_COMMANDS } from '../helpers/vault-cvv-commands.ts';
import { type Kept, ROLES, VaultModel } from '../helpers/vault-model.ts';
import { compareAll, openVaultWorld, removeAll, type VaultWorld } from '../helpers/vault-model-world.ts';
import { exportTo, importFrom, makeReceiver, NOTICED_MS, type Receiver } from '../helpers/vault-moves.ts';
import { swap } from '../helpers/vault-parts.ts';
import { USE_COMMANDS } from '../helpers/vault-use-commands.ts';

const COMMANDS = [...CARD_COMMANDS, ...CVV_COMMANDS, ...USE_COMMANDS];
const RUNS = modelRuns(100);
const OWNERS = ['hotel', 'shop', 'agency'] as const;

/** Returns what of a record another installation has: no CVV, but the end that a policy gives the card. */
function moved({ cvv, ...kept }: Kept): Kept {
	const rest = { ...kept, references: new Set(kept.references), merchants: new Set(kept.merchants) };
	if (!cvv?.deletesCard) return rest;
	return { ...rest, cvv: { ...cvv, digits: '', destinations: [], isSpent: true } };
}

async function move(from: VaultWorld, to: VaultWorld, model: VaultModel, receiver: Receiver): Promise<VaultModel> {
	const { path, records } = await exportTo(from.parts, receiver, { userIds: OWNERS.map(from.nameOf) });
	to.parts.clock.turn(from.parts.clock.now().getTime() - to.parts.clock.now().getTime());
	const renamed = new Map(ROLES.map((role) => [from.nameOf(role), to.nameOf(role)]));
	const imported = await importFrom(to.parts, receiver, path, { renamed });
	deepStrictEqual(imported.told, []);
	deepStrictEqual([imported.stored, imported.records, imported.present], [records, records, 0]);
	const again = await importFrom(to.parts, receiver, path, { renamed });
	deepStrictEqual([again.stored, again.present, again.problems], [0, records, 0]);
	to.parts.clock.turn(NOTICED_MS);
	const there = new VaultModel(() => to.parts.clock.now().getTime());
	there.all.push(...model.all.map(moved));
	return there;
}

/** Compares what a file with all tokens comes back as: the door of those who send files. */
async function compareFile(model: VaultModel, world: VaultWorld): Promise<void> {
	for (const role of OWNERS) {
		const cards = model.listOf(role).filter(({ kind }) => kind === 'card');
		const table = (cells: readonly string[]) => ['CardNumber', ...cells, ''].join('\n');
		const back = await swap(world.parts as never, world.parts.engine, {
			...{ filter: 'SIMPLECSV', direction: 'detokenize', accountId: world.callers[role].account.id },
			bytes: Buffer.from(table(cards.map(({ token }) => token))),
		});
		strictEqual(back.bytes.toString(), table(cards.map(({ card }) => card!.number)));
	}
}

for (const dialect of databases) {
	test(`${dialect}: a vault that moved answers as it did, and goes on`, async (t) => {
		const party = await openThirdParty(t);
		const receiver = await makeReceiver(makeFolder(t));
		const [here, there]: HttpApp[] = [await openHttpApp(t, dialect), await openHttpApp(t, dialect)];
		// Both are copies of one installation, but each has keys of its own.
		await there.database.knex('keys').where({ purpose: 'token' }).delete();
		let records = 0;
		await fc.assert(
			fc.asyncProperty(
				OPENING,
				fc.commands(COMMANDS, { maxCommands: 30, size: 'max' }),
				fc.commands(COMMANDS, { maxCommands: 10, size: 'max' }),
				async (opening, before, after) => {
					const from = await openVaultWorld(here, party);
					const model = new VaultModel(() => here.clock.now().getTime());
					await fc.asyncModelRun(() => ({ model, real: from }), [...opening, ...before]);
					const to = await openVaultWorld(there, party);
					const movedModel = await move(from, to, model, receiver);
					await compareAll(movedModel, to);
					await compareFile(movedModel, to);
					records += movedModel.all.filter(({ isGone }) => !isGone).length;
					await fc.asyncModelRun(() => ({ model: movedModel, real: to }), after);
					await compareAll(movedModel, to);
					await removeAll(movedModel, to);
					await removeAll(model, from);
				},
			),
			{ ...RUNS, includeErrorInReport: true },
		);
		t.true(records > RUNS.numRuns, 'there was something to move');
	});
}
