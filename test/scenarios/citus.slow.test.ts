// An installation whose tables that grow are spread over the servers of a Citus cluster: it is spread, works as before, loses a
// server and gets it back, and rows move while cards are stored.

import type { ExecutionContext } from 'ava';
import pg from 'pg';
import { CardNumber } from '../../src/base/card/card-number.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import { openVault } from '../../src/vault/vault.ts';
import { BATCH, card, linesOf, NDJSON, ndjson } from '../helpers/batch-calls.ts';
import { type CitusDatabase, openCitusDatabase } from '../helpers/citus-database.ts';
import { type Installation, openInstallation, type RunningDaemon } from '../helpers/daemon.ts';
import { openSession } from '../helpers/daemon-session.ts';
import type { TestDatabase } from '../helpers/database.ts';
import { call, lostOf, moreStored, storeCards, storeOne } from '../helpers/failover.ts';
import { testNeeding } from '../helpers/test-needing.ts';
import { until } from '../helpers/until.ts';
import { openVaultParts } from '../helpers/vault-parts.ts';

const test = testNeeding('a Citus cluster (TOKENDROP_TEST_CITUS_URL)');

const ROWS = 400;

interface Parts {
	readonly database: CitusDatabase;
	readonly installation: Installation;
	readonly daemon: RunningDaemon;
}

/** Starts an installation whose tables the migrations have spread. */
async function startSpread(t: ExecutionContext): Promise<Parts> {
	const database = await openCitusDatabase(t);
	await database.addWorkers();
	const installation = await openInstallation(t, { variables: { TOKENDROP_DATABASE_URL: database.url } });
	await installation.json('migrate');
	return { database, installation, daemon: await installation.start() };
}

/** Stores cards one by one, and returns their tokens. */
async function storeSome(parts: Pick<Parts, 'installation' | 'daemon'>, count: number): Promise<string[]> {
	const tokens: string[] = [];
	for (let n = 0; n < count; n++) tokens.push((await storeOne(parts)).token!);
	return tokens;
}

/** Asks for the metadata of each token; returns the answers. */
function askEach(parts: Pick<Parts, 'installation' | 'daemon'>, tokens: readonly string[]) {
	return Promise.all(tokens.map((token) => call(parts, `/api/payments/paycard/${token}/meta`)));
}

/** Returns what `doctor` says of the cluster. */
async function findingOf(installation: Installation): Promise<{ readonly state: string; readonly says: string }> {
	const { findings } = JSON.parse((await installation.command('doctor')).stdout);
	return findings.find(({ part }: { part: string }) => part === 'servers of the cluster');
}

async function readyz({ opsPort }: RunningDaemon) {
	const answer = await fetch(`http://127.0.0.1:${opsPort}/readyz`);
	return { code: answer.status, ...((await answer.json()) as { status: string; warnings?: Record<string, string> }) };
}

/** Notes the statements of this process, and which servers the coordinator asks for them. */
function noteServers(t: ExecutionContext) {
	const { emit, query } = pg.Client.prototype;
	t.teardown(() => Object.assign(pg.Client.prototype, { emit, query }));
	let servers = new Set<string>();
	let statements = 0;
	Object.assign(pg.Client.prototype, {
		emit(this: pg.Client, what: string, ...given: { readonly detail?: string }[]) {
			const server = what === 'notice' ? /^on server (\S+)/.exec(given[0].detail ?? '')?.[1] : undefined;
			if (server) servers.add(server);
			return Reflect.apply(emit, this, [what, ...given]);
		},
		query(this: pg.Client, ...given: unknown[]) {
			statements += 1;
			return Reflect.apply(query, this, given);
		},
	});
	return {
		/** The statements since the last `take`. */
		get statements() {
			return statements;
		},
		/** Returns the servers since the last time. */
		take() {
			const taken = servers;
			[servers, statements] = [new Set(), 0];
			return taken;
		},
	};
}

test.serial('an installation with cards is spread while no daemon runs, once, and its tokens stay', async (t) => {
	const database = await openCitusDatabase(t);
	const installation = await openInstallation(t, { variables: { TOKENDROP_DATABASE_URL: database.url } });
	await installation.json('migrate');
	const first = await installation.start();
	const tokens = await storeSome({ installation, daemon: first }, 20);
	t.regex((await installation.command('database', 'distribute')).stderr, /knows no server that may have rows/);
	await database.addWorkers();
	const running = await installation.command('database', 'distribute');
	t.is(running.code, 1);
	t.regex(running.stderr, /daemons run/);
	t.is(await first.stop(), 0);
	t.regex((await findingOf(installation)).says, /are not spread: pages, /);

	const { tables, servers } = await installation.json('database', 'distribute');
	t.deepEqual(tables.slice(0, 2), ['pages', 'token_refs']);
	t.deepEqual(
		servers,
		database.workers.map(({ name }) => name),
	);
	t.deepEqual((await installation.json('database', 'distribute')).tables, []);
	t.deepEqual(
		await database.ask(`select pg_relation_size('pages')::int as bytes`),
		[{ bytes: 0 }],
		'none is left here',
	);
	const placed = await database.ask<{ nodes: number }>(
		`select count(distinct nodeport)::int as nodes from citus_shards where table_name = 'pages'::regclass`,
	);
	t.deepEqual(placed, [{ nodes: database.workers.length }]);
	t.is((await findingOf(installation)).state, 'ok');

	const daemon = await installation.start();
	const answers = await askEach({ installation, daemon }, tokens);
	t.deepEqual(
		answers.map(({ status }) => status),
		tokens.map(() => 200),
	);
	t.is((await installation.command('audit', 'verify')).code, 0);
	const rows = await database.ask(`select details from audit where action = 'database.distribute'`);
	t.is(rows.length, 2);
	t.is(await daemon.stop(), 0);
});

test.serial(
	'one server is asked for a card, and one stores it, with as many statements as one PostgreSQL needs',
	async (t) => {
		const parts = await openVaultParts(t, 'postgres');
		const noted = noteServers(t);
		const { url } = parts.database as TestDatabase;
		const database = await openDatabase({ url: `${url}?options=-c%20citus.log_remote_commands%3Don` });
		t.teardown(() => database.close());
		const vault = await openVault({ ...parts, database });
		const order = { accountId: 1 as AccountId, creatorId: 1 as AccountId };
		const stored = { ...order, card: { number: new CardNumber('4111111111111111'), expiry: 203012, type: 19 } };
		const { token } = await vault.store(stored);
		await vault.find(order.accountId, token);
		noted.take();
		for (let n = 0; n < 10; n++) {
			await vault.store({ ...stored, reference: `order ${n}` });
			t.is(noted.take().size, 1);
		}
		noted.take();
		await vault.find(order.accountId, token);
		t.is(noted.statements, 1);
		t.is(noted.take().size, 1);
	},
);

test.serial('cards, batches, files and lists go over two servers and two daemons as over one', async (t) => {
	const parts = await startSpread(t);
	const { database, installation, daemon } = parts;
	const second = await installation.start();
	const tokens = await storeSome(parts, 10);
	const loads = [parts, { installation, daemon: second }].map((each) => storeCards(each));
	const batch = await call(parts, BATCH, {
		method: 'POST',
		headers: NDJSON,
		body: ndjson(Array.from({ length: ROWS }, () => card())),
	});
	const lines = linesOf(await batch.text());
	t.is(lines.filter(({ token }) => token).length, ROWS);
	const clear = `CardNumber,ExpirationMonth,ExpirationYear\n${'4111111111111111,12,2031\n'.repeat(ROWS)}`;
	const exchange = async (way: string, body: string) => {
		const path = `/api/files/${way}?filter=SIMPLECSV`;
		const headers = { 'content-type': 'application/octet-stream' };
		const answer = await call(parts, path, { method: 'POST', headers, body });
		t.is(answer.status, 200);
		return answer.text();
	};
	const tokenized = await exchange('tokenize', clear);
	t.notRegex(tokenized, /4111111111111111/);
	t.is(await exchange('detokenize', tokenized), clear);
	for (const { answers } of loads) await moreStored(answers, 50);
	for (const load of loads) await load.stop();
	const answers = loads.flatMap((load) => load.answers);
	t.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
	t.deepEqual(await lostOf(parts, answers), []);

	const count = tokens.length + 2 * ROWS + answers.length;
	const listed: string[] = [];
	for (let from = 0; from === listed.length; ) {
		const page = await call(parts, `/api/payments/paycard/meta?from=${from}&num=500`);
		const records = (await page.json()) as { CardToken?: string }[];
		if (records.length === 0) break;
		listed.push(...records.map((record) => JSON.stringify(record)));
		from = listed.length;
	}
	t.is(listed.length, count, 'every card is listed');
	t.is(new Set(listed).size, count, 'once');

	const [gone] = tokens;
	const removed = await call(parts, `/api/payments/paycard/${gone}`, { method: 'DELETE' });
	t.is(removed.status, 200);
	const again = await call(parts, `/api/payments/paycard/${gone}`, { method: 'DELETE' });
	t.is(again.status, 404);
	const session = await openSession(t, installation, second);
	await session.put('/tokenize/SIMPLECSV/cards.csv', Buffer.from(clear));
	await session.put('/detokenize/SIMPLECSV/back.csv', await session.arrival('/tokenized/SIMPLECSV/cards.csv'));
	t.is(`${await session.arrival('/detokenized/SIMPLECSV/back.csv')}`, clear);
	session.end();
	t.deepEqual(await database.ask('select * from page_blocks'), []);
	for (const each of [daemon, second]) t.is(await each.stop(), 0, each.log());
	t.is((await installation.command('audit', 'verify')).code, 0);
});

test.serial('a server that is away takes its own cards along, and readiness names it', async (t) => {
	const parts = await startSpread(t);
	const { database, installation, daemon } = parts;
	const tokens = await storeSome(parts, 40);
	t.is((await readyz(daemon)).status, 'ok');
	const [worker] = database.workers;
	await worker.part();
	const answers = await askEach(parts, tokens);
	const counts = Map.groupBy(answers, ({ status }) => status);
	t.deepEqual([...counts.keys()].sort(), [200, 503]);
	for (const { status, headers } of answers) t.is(headers.get('retry-after') !== null, status === 503);
	const ready = await readyz(daemon);
	t.is(ready.code, 200);
	t.is(ready.status, 'degraded');
	t.true(ready.warnings!.database.startsWith(`${worker.name} does not answer`), ready.warnings!.database);
	t.is((await findingOf(installation)).state, 'problem');
	// New cards go to pages of the other servers.
	const stored = [];
	for (let n = 0; n < 20; n++) stored.push(await storeOne(parts));
	t.deepEqual([...new Set(stored.map(({ status }) => status))], [201]);
	// What is written on all servers waits, or is to be sent again.
	const session = await openSession(t, installation, daemon);
	const file = Buffer.from('CardNumber,ExpirationMonth,ExpirationYear\n4111111111111111,12,2031\n');
	await session.put('/tokenize/SIMPLECSV/waits.csv', file);
	const batch = await call(parts, BATCH, { method: 'POST', headers: NDJSON, body: ndjson([card()]) });
	t.is(batch.status, 503, await batch.text());
	await worker.join();
	await until('all is well', async () => (await readyz(daemon)).status === 'ok');
	const back = await askEach(parts, tokens);
	t.deepEqual([...new Set(back.map(({ status }) => status))], [200]);
	t.deepEqual(await lostOf(parts, stored), []);
	t.notRegex(`${await session.arrival('/tokenized/SIMPLECSV/waits.csv')}`, /4111111111111111/);
	session.end();
	t.is((await installation.command('audit', 'verify')).code, 0);
	t.is(await daemon.stop(), 0, daemon.log());
});

test.serial('rows move to another server while cards are stored, and none is lost', async (t) => {
	const parts = await startSpread(t);
	const { database, daemon } = parts;
	const tokens = await storeSome(parts, 40);
	const load = storeCards(parts);
	await moreStored(load.answers, 20);
	const [from, to] = database.workers.map(({ name }) => name.split(':'));
	const shards = await database.ask<{ id: string }>(
		`select shardid as id from citus_shards where table_name = 'pages'::regclass and nodeport = ${from[1]} limit 2`,
	);
	t.is(shards.length, 2);
	for (const { id } of shards) {
		await database.ask(`select citus_move_shard_placement(${id}, '${from[0]}', ${from[1]}, '${to[0]}', ${to[1]})`);
	}
	await moreStored(load.answers, 20);
	await load.stop();
	t.deepEqual([...new Set(load.answers.map(({ status }) => status))], [201]);
	t.deepEqual(await lostOf(parts, load.answers), []);
	const answers = await askEach(parts, tokens);
	t.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
	t.is((await parts.installation.command('audit', 'verify')).code, 0);
	t.is(await daemon.stop(), 0, daemon.log());
});

test.serial('a server is emptied, removed, added again and filled while cards are stored', async (t) => {
	const parts = await startSpread(t);
	const { database, installation, daemon } = parts;
	const tokens = await storeSome(parts, 40);
	const load = storeCards(parts);
	await moreStored(load.answers, 20);
	const [leaving] = database.workers.map(({ name }) => name.split(':'));
	const place = `'${leaving[0]}', ${leaving[1]}`;
	const shardsThere = async () => {
		const [{ count }] = await database.ask<{ count: number }>(
			`select count(*)::int as count from citus_shards where citus_table_type = 'distributed' and nodeport = ${leaving[1]}`,
		);
		return count;
	};
	t.true((await shardsThere()) > 0);
	await database.ask(`select citus_drain_node(${place})`);
	t.is(await shardsThere(), 0);
	await moreStored(load.answers, 20);
	await database.ask(`select citus_remove_node(${place})`);
	await moreStored(load.answers, 20);
	t.is((await findingOf(installation)).state, 'ok');

	await database.ask(`select citus_add_node(${place})`);
	await moreStored(load.answers, 20);
	await database.ask('select citus_rebalance_start()');
	await database.ask('select citus_rebalance_wait()');
	t.true((await shardsThere()) > 0);
	await moreStored(load.answers, 20);
	await load.stop();
	t.deepEqual([...new Set(load.answers.map(({ status }) => status))], [201]);
	t.deepEqual(await lostOf(parts, load.answers), []);
	const answers = await askEach(parts, tokens);
	t.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
	t.is((await findingOf(installation)).state, 'ok');
	t.is((await installation.command('audit', 'verify')).code, 0);
	t.is(await daemon.stop(), 0, daemon.log());
});

test.serial('a standby takes over from a server that is away, and its cards are there again', async (t) => {
	const parts = await startSpread(t);
	const { database, installation, daemon } = parts;
	const tokens = await storeSome(parts, 40);
	const [worker] = database.workers;
	await worker.part();
	t.true((await askEach(parts, tokens)).some(({ status }) => status === 503));
	const [host, port] = (await worker.standIn()).name.split(':');
	const [{ id }] = await database.ask<{ id: number }>(
		`select nodeid as id from pg_dist_node where nodeport = ${worker.name.split(':')[1]}`,
	);
	await database.ask(`select citus_update_node(${id}, '${host}', ${port})`);
	await until('all is well', async () => (await readyz(daemon)).status === 'ok');
	const answers = await askEach(parts, tokens);
	t.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
	t.is((await storeOne(parts)).status, 201);
	t.is((await findingOf(installation)).state, 'ok');
	t.is((await installation.command('audit', 'verify')).code, 0);
	t.is(await daemon.stop(), 0, daemon.log());
});
