// The import of a vault is ended by kill -9 in the middle: what it has stored stays, and it goes on without doubles.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { openDatabase } from '../../src/base/database/open.ts';
import { openCommandRunner } from '../helpers/run-command.ts';
import { sizeOf } from '../helpers/runs.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const CARDS = sizeOf(100_000);
const NUMBERS = ['4111111111111111', '5555555555554444', '378282246310005'];
/** An import is killed at moments spread over its time. */
const KILLS = 4;

test('an import that is killed at any moment goes on, and in the end each token is there once', async (t) => {
	const [here, there] = [openCommandRunner(t), openCommandRunner(t)];
	for (const run of [here, there]) {
		await run('account', 'create', '--user-id', 'agency', '--allowance', 'unlimited');
	}
	const path = (name: string) => join(here.dataDir, name);
	const rows = Array.from({ length: CARDS }, (_, nth) => `${NUMBERS[nth % 3]},12/39,r${nth}`);
	writeFileSync(path('cards.csv'), `Card Number,Expiry,Card Reference\n${rows.join('\n')}\n`);
	await here('token', 'import', '--user-id', 'agency', path('cards.csv'), path('tokens.csv'));
	await there('pgp-key', 'create', '--user-id', 'agency', '--name', 'own');
	const { publicKey, fingerprint } = (await there('pgp-key', 'export', '--user-id', 'agency', '--name', 'own')).json;
	writeFileSync(path('key.asc'), publicKey);
	const out = path('vault.pgp');
	const exported = await here('vault', 'export', '--key-file', path('key.asc'), '--fingerprint', fingerprint, out);
	t.like(exported.json, { records: CARDS });

	const database = await openDatabase({ url: `sqlite:${join(there.dataDir, 'tokendrop.sqlite')}` });
	t.teardown(() => database.close());
	const stored = async () => Number((await database.knex('foreign_tokens').count('* as count'))[0].count);
	const env = { ...process.env, TOKENDROP_DATA_DIR: there.dataDir };
	const words = ['vault', 'import', '--pgp-key', 'own', '--key-of', 'agency', out];
	const left: number[] = [];
	for (let kill = 1; kill <= KILLS; kill++) {
		const child = spawn(process.execPath, ['--no-warnings', MAIN, ...words], { env, stdio: 'ignore' });
		const closed = once(child, 'close');
		const enough = (kill * CARDS) / (KILLS + 1);
		while (child.exitCode === null && (await stored()) < enough) await sleep(5);
		child.kill('SIGKILL');
		await closed;
		left.push(await stored());
	}
	t.true(left.at(-1)! < CARDS, 'the last one was killed before its end');
	t.deepEqual(
		left,
		left.toSorted((a, b) => a - b),
		'what is stored stays',
	);
	const last = await there('vault', 'import', '--pgp-key', 'own', '--key-of', 'agency', out);
	t.is(last.code, 0, last.stderr);
	t.is(last.json.stored + last.json.present, CARDS);
	t.true(last.json.present > 0);
	t.is(await stored(), CARDS);
	// Ids that a killed import has reserved stay for a day, but no page with a foreign token is among them.
	const isReserved = database.knex('page_blocks as b').whereRaw('p.id between b.first and b.last').select('b.first');
	const live = await database.knex('pages as p').whereNotExists(isReserved).sum('p.live as live');
	t.is(Number(live[0].live), CARDS, 'no card is there twice');
	const list = async (run: typeof here, name: string) => {
		await run('token', 'export', '--user-id', 'agency', path(name));
		return readFileSync(path(name), 'utf8');
	};
	t.true((await list(here, 'here.csv')) === (await list(there, 'there.csv')), 'both list the same, in the same order');
});
