// Daemons write the trail in lanes, none of which waits for another. Together they are one trail with one order, and a
// lane that is cut, put back or removed shows.

import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import type { Knex } from 'knex';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { auditStore } from '../../src/trail/audit-store.ts';
import { compareHeads } from '../../src/trail/checks/compare-heads.ts';
import { openHeadBook } from '../../src/trail/checks/head-book.ts';
import { verifyExport } from '../../src/trail/checks/verify-export.ts';
import { verifyEnd } from '../../src/trail/checks/verify-trail.ts';
import { openForwarder } from '../../src/trail/forward/forwarder.ts';
import { openLaneLinks } from '../../src/trail/lanes/lane-links.ts';
import { findSettled } from '../../src/trail/lanes/settled.ts';
import { databases } from '../helpers/database.ts';
import { type IdentityParts, openIdentityParts } from '../helpers/identity-parts.ts';
import { until } from '../helpers/until.ts';

const entry = (name: string) => ({ actor: 'operator test', action: 'test.note', subject: `note ${name}` });
const logger = { warn() {}, error() {} };

/** Opens a trail of three lanes, each with some entries, and a link with their ends. */
async function openLanes(t: ExecutionContext, dialect: Dialect) {
	const parts = await openIdentityParts(t, dialect);
	const daemons = [parts, await parts.anotherDaemon(), await parts.anotherDaemon()].map(({ audit }) => audit);
	for (const [lane, audit] of daemons.entries()) t.true(await audit.useLane(lane));
	const links = openLaneLinks({ ...parts, logger, everyMs: 3_600_000 });
	t.teardown(() => links.close());
	const record = async (name: string, times = 2) => {
		for (let nth = 0; nth < times; nth += 1)
			for (const [lane, audit] of daemons.entries()) await audit.record(entry(`${name} ${lane} ${nth}`));
	};
	await record('first');
	t.true(await links.link(true));
	return { ...parts, knex: parts.database.knex, daemons, links, record };
}

const whole = (entries: number) => ({ isWhole: true, entries });

async function exported({ audit }: Pick<IdentityParts, 'audit'>, range = {}): Promise<string[]> {
	const pieces: Buffer[] = [];
	await audit.exportTo(
		new Writable({
			write(chunk, _encoding, done) {
				pieces.push(chunk);
				done();
			},
		}),
		range,
	);
	return Buffer.concat(pieces).toString().trimEnd().split('\n');
}

async function* each(lines: readonly string[]) {
	yield* lines;
}

/** Holds a transaction open that has written to the trail. */
async function holdOpen(knex: Knex, audit: IdentityParts['audit'], name: string) {
	const written = Promise.withResolvers<void>();
	const end = Promise.withResolvers<void>();
	const ended = knex.transaction(async (transaction) => {
		await audit.record(entry(name), transaction);
		written.resolve();
		await end.promise;
	});
	await written.promise;
	return async () => {
		end.resolve();
		await ended;
	};
}

for (const dialect of databases) {
	test(`the lanes are one trail with one order of numbers, each given once (${dialect})`, async (t) => {
		const { knex, audit, daemons, record, keyRing } = await openLanes(t, dialect);
		t.deepEqual(await audit.verify(), whole(7));
		await record('second', 3);
		await Promise.all(Array.from({ length: 60 }, (_, nth) => daemons[nth % 3].record(entry(`at once ${nth}`))));
		t.deepEqual(await audit.verify(), whole(76));
		const rows: { seq: number; lane: number | null; subject: string }[] = await knex('audit').orderBy('seq');
		t.deepEqual(new Set(rows.map(({ lane }) => lane)), new Set([null, 0, 1, 2]));
		for (const { seq, lane } of rows) if (lane !== null) t.is(seq % 3, lane);
		const inTurn = rows.filter(({ subject }) => subject.startsWith('note second')).map(({ subject }) => subject);
		const wanted = [0, 1, 2].flatMap((nth) => [0, 1, 2].map((lane) => `note second ${lane} ${nth}`));
		t.deepEqual(inTurn, wanted, 'what came later has the higher number, in whichever lane');
		for (const count of [1, 5, 50, 500]) t.true((await verifyEnd(knex, keyRing, count)).isWhole, String(count));
	});

	test(`an installation with an old trail goes on: its chain is lane 0 up to the change (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { knex } = parts.database;
		for (let nth = 0; nth < 5; nth += 1) await parts.audit.record(entry(String(nth)));
		const before = await knex('audit').orderBy('seq');
		const other = await parts.anotherDaemon();
		t.true(await other.audit.useLane(1));
		await other.audit.record(entry('lane 1'));
		await parts.audit.record(entry('lane 0'));
		t.deepEqual(await parts.audit.verify(), whole(8));
		const rows = await knex('audit').orderBy('seq');
		t.deepEqual(rows.slice(0, 6), before);
		t.deepEqual(
			rows.slice(6).map(({ seq, lane }) => [seq, lane]),
			[
				[7, 1],
				[8, 0],
			],
		);
		t.is(rows[7].previous_hash, rows[5].hash);
		t.is(rows[6].previous_hash, '0'.repeat(64));
	});

	test(`before the last migration there is one lane (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		await parts.database.knex.schema.dropTable('audit_links');
		t.false(await parts.audit.useLane(1));
		await parts.audit.record(entry('as before'));
		t.deepEqual(await parts.audit.verify(), whole(2));
	});

	test(`a lane is opened once, and by daemons that start at the same time (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const daemons = await Promise.all([1, 2, 3, 4].map(() => parts.anotherDaemon()));
		t.deepEqual(await Promise.all(daemons.map(({ audit }, nth) => audit.useLane((nth % 2) + 1))), Array(4).fill(true));
		await Promise.all(daemons.map(({ audit }, nth) => audit.record(entry(String(nth)))));
		t.is((await parts.database.knex('audit_head').whereNot({ id: 0 })).length, 3);
		t.deepEqual(await parts.audit.verify(), whole(5));
	});

	const attacks: Record<string, [(parts: Awaited<ReturnType<typeof openLanes>>) => Promise<unknown>, string]> = {
		'an entry of a lane deleted': [
			({ knex }) => knex('audit').where({ subject: 'note first 1 0' }).delete(),
			'missing',
		],
		'an entry of a lane altered': [
			({ knex }) => knex('audit').where({ subject: 'note first 1 0' }).update({ actor: 'nobody' }),
			'altered',
		],
		'an entry moved to another lane': [
			({ knex }) => knex('audit').where({ subject: 'note first 1 0' }).update({ lane: 2 }),
			'altered',
		],
		'an entry moved to another number of its lane': [
			async ({ knex }) => knex('audit').where({ subject: 'note first 2 1' }).update({ seq: 2000 }),
			'cut',
		],
		'an entry said to be of a trail of one lane': [
			({ knex }) => knex('audit').where({ subject: 'note first 0 0' }).update({ lane: null }),
			'missing',
		],
		'the end of a lane cut off': [({ knex }) => knex('audit').where({ subject: 'note first 2 1' }).delete(), 'cut'],
		'an entry added behind a lane': [
			async ({ knex }) => {
				const { seq, ...row } = await knex('audit').where({ lane: 1 }).orderBy('seq', 'desc').first();
				await knex('audit').insert({ ...row, seq: seq + 300 });
			},
			'added',
		],
		'the end row of a lane removed': [({ knex }) => knex('audit_head').where({ id: 3 }).delete(), 'head-missing'],
		'a lane removed with all of its entries': [
			async ({ knex }) => {
				await knex('audit_head').where({ id: 3 }).delete();
				await knex('audit').where({ lane: 2 }).delete();
			},
			'lane-missing',
		],
		'a link deleted': [({ knex }) => knex('audit_links').where({ number: 2 }).delete(), 'link-broken'],
		'a link altered': [({ knex }) => knex('audit_links').where({ number: 3 }).update({ heads: '[]' }), 'link-broken'],
		'the last links cut off': [({ knex }) => knex('audit_links').where('number', '>', 1).delete(), 'link-broken'],
		'the main chain removed': [
			async ({ knex }) => {
				await knex('audit_links').delete();
				await knex('audit_head').where({ id: 0 }).delete();
			},
			'link-broken',
		],
		'the number of lanes put back to one': [
			({ knex }) => knex('audit_head').whereNot({ id: 0 }).update({ lanes: 1 }),
			'head-altered',
		],
	};
	for (const [name, [attack, reason]] of Object.entries(attacks)) {
		test(`${name}: it is found (${dialect})`, async (t) => {
			const parts = await openLanes(t, dialect);
			await attack(parts);
			t.like(await parts.audit.verify(), { isWhole: false, reason });
		});
	}

	test(`a lane put back to an earlier end with its rows is found, also when the main chain is put back with it (${dialect})`, async (t) => {
		const { knex, audit, daemons, links, record } = await openLanes(t, dialect);
		const then = await knex('audit_head');
		await daemons[1].record(entry('which somebody wants to be gone'));
		t.true(await links.link(true));
		const later = { heads: await knex('audit_head'), entries: await knex('audit'), links: await knex('audit_links') };
		const putBack = async (id: number) =>
			knex('audit_head')
				.where({ id })
				.update(then.find((head) => head.id === id));
		await knex('audit').where({ subject: 'note which somebody wants to be gone' }).delete();
		await putBack(2);
		t.like(await audit.verify(), { isWhole: false, reason: 'lane-behind' });
		await record('after', 1);
		t.false((await audit.verify()).isWhole, 'nor does what comes later heal it');

		// A lane that has seen the last link knows that it was there.
		for (const [table, rows] of [
			['audit_head', later.heads],
			['audit', later.entries],
			['audit_links', later.links],
		] as const) {
			await knex(table).delete();
			await knex(table).insert(rows);
		}
		await daemons[2].record(entry('beside'));
		t.true((await audit.verify()).isWhole);
		await knex('audit').where({ subject: 'note which somebody wants to be gone' }).delete();
		await knex('audit_links')
			.where('number', '>', then.find(({ id }) => id === 0).seq)
			.delete();
		await putBack(2);
		await putBack(0);
		t.like(await audit.verify(), { isWhole: false, reason: 'link-broken' });
	});

	test(`all lanes put back together with the main chain are found by the file of heads (${dialect})`, async (t) => {
		const parts = await openLanes(t, dialect);
		const { knex, audit, record, links } = parts;
		const headFile = join(mkdtempSync(join(tmpdir(), 'tokendrop-')), 'heads.jsonl');
		const book = await openHeadBook({ ...parts, headFile, headEntries: 1, headSeconds: 600, logger });
		t.teardown(() => book.close());
		const compare = () => compareHeads({ database: parts.database, keyRing: parts.keyRing, headFile });
		const then = { heads: await knex('audit_head'), notes: await knex('audit_notes').first() };
		const main = then.heads.find(({ id }) => id === 0);
		await record('gone');
		await links.link(true);
		await book.note(true);
		t.deepEqual(await compare(), []);
		const last = Math.max(...then.heads.filter(({ id }) => id !== 0).map(({ seq }) => seq));
		t.is(JSON.parse(readFileSync(headFile, 'utf8').trimEnd().split('\n').at(-1)!).link[0], main.seq + 1);
		await knex('audit').where('seq', '>', last).delete();
		await knex('audit_links')
			.where('number', '>', then.heads.find(({ id }) => id === 0).seq)
			.delete();
		for (const { id, ...head } of then.heads) await knex('audit_head').where({ id }).update(head);
		await knex('audit_notes').update(then.notes);
		t.true((await audit.verify()).isWhole, 'they fit each other');
		t.regex((await compare())[0], /the trail had .* and not that one$/);
	});

	test(`a lane whose end was removed is not begun anew (${dialect})`, async (t) => {
		const { knex, audit, anotherDaemon } = await openLanes(t, dialect);
		await knex('audit_head').where({ id: 3 }).delete();
		const restarted = await anotherDaemon();
		await t.throwsAsync(restarted.audit.useLane(2), { message: /the end of lane 2 of the audit trail is gone/ });
		t.false((await audit.verify()).isWhole);
	});

	test(`the trail begun anew after its first lane was wiped shows, and takes no number twice (${dialect})`, async (t) => {
		const { knex, daemons, anotherDaemon } = await openLanes(t, dialect);
		await knex('audit_head').where({ id: 1 }).delete();
		const restarted = await anotherDaemon();
		await restarted.audit.record(entry('after'));
		await daemons[1].record(entry('beside'));
		t.false((await restarted.audit.verify()).isWhole);
		t.is((await knex('audit').where({ action: 'audit.restart' })).length, 1);
	});

	test(`an export of several lanes proves itself, and shows what was changed (${dialect})`, async (t) => {
		const parts = await openLanes(t, dialect);
		await parts.record('second');
		const lines = await exported(parts);
		const verify = (some: readonly string[], keyRing = parts.keyRing) => verifyExport(each(some), keyRing);
		t.like(await verify(lines), { isWhole: true, entries: 13 });
		t.like(await verifyExport(each(lines), undefined), { isWhole: true, entries: 13 });
		const some = await exported(parts, { first: 4, last: 12 });
		t.like(await verify(some), { isWhole: true, entries: some.length - 1 });
		for (let gone = 0; gone < lines.length - 1; gone += 1)
			t.false((await verify(lines.toSpliced(gone, 1))).isWhole, `line ${gone + 1} gone`);
		t.false((await verify([lines[0], lines[2], lines[1], ...lines.slice(3)])).isWhole, 'two in another order');
		const moved = lines.map((line, nth) => (nth === 6 ? line.replace(/"lane":\d/, '"lane":9') : line));
		t.false((await verify(moved)).isWhole, 'in another lane');
	});

	test(`links come when a lane has grown, once for all daemons, and not more often (${dialect})`, async (t) => {
		const parts = await openLanes(t, dialect);
		const { knex, daemons, links } = parts;
		const others = openLaneLinks({ ...parts, logger, everyMs: 3_600_000 });
		t.teardown(() => others.close());
		const count = async () => (await knex('audit_links')).length;
		const before = await count();
		t.deepEqual([await links.link(), await others.link(true)], [false, false], 'nothing has grown');
		await daemons[2].record(entry('one more'));
		t.false(await links.link(), 'the last one is not old enough');
		parts.turn(3_600_000);
		const made = await Promise.all([links.link(), others.link()]);
		t.is(made.filter((isMade) => isMade).length, 1);
		t.is(await count(), before + 1);
		const ticking = openLaneLinks({ ...parts, logger, everyMs: 5 });
		t.teardown(() => ticking.close());
		parts.turn(10);
		await daemons[1].record(entry('by itself'));
		await until('a link by itself', async () => (await count()) === before + 2);
		t.true((await parts.audit.verify()).isWhole);
	});

	test(`a time is found among numbers that have gaps (${dialect})`, async (t) => {
		const parts = await openLanes(t, dialect);
		const store = auditStore(parts.knex);
		for (let nth = 0; nth < 70; nth += 1) {
			parts.turn(1_000);
			await parts.daemons[nth % 7 === 0 ? 1 : 2].record(entry(String(nth)));
		}
		const rows: { seq: number; at: number }[] = await parts.knex('audit').orderBy('seq').select('seq', 'at');
		for (const { at } of rows)
			for (const wanted of [Number(at), Number(at) - 1]) {
				const found = rows.find((row) => Number(row.at) >= wanted)!;
				t.is(await store.findFirstSince(wanted), Number(found.seq));
			}
		t.is(await store.findFirstSince(Number(rows.at(-1)!.at) + 1), Number(rows.at(-1)!.seq) + 1);
	});
}

if (databases.includes('postgres')) {
	test('no lane waits for another, and two lanes get other numbers at the same time', async (t) => {
		const { knex, audit, daemons } = await openLanes(t, 'postgres');
		const ends = await Promise.all(daemons.map((daemon, lane) => holdOpen(knex, daemon, `held ${lane}`)));
		for (const end of ends) await end();
		t.deepEqual(await audit.verify(), whole(10));
	});

	test('a follower goes no further than a transaction that is open, and misses nothing of it', async (t) => {
		const parts = await openLanes(t, 'postgres');
		const { knex, daemons, database } = parts;
		const taken: string[] = [];
		const send = async (entries: readonly { subject: string }[]) => {
			taken.push(...entries.map(({ subject }) => subject));
		};
		const target = { kind: 'webhook' as const, address: 'https://siem.example', send };
		const forwarder = await openForwarder({ ...parts, logger }, target, 'one', 3_600_000);
		t.teardown(() => forwarder.close());
		await forwarder.forward();
		t.is(taken.length, 7);
		const settled = await findSettled(database);
		const end = await holdOpen(knex, daemons[1], 'held');
		await daemons[2].record(entry('committed before it'));
		await forwarder.forward();
		t.is(taken.length, 7);
		t.true((await findSettled(database)) <= settled);
		const exporting = exported(parts);
		await end();
		t.is((await exporting).length, 10, 'an export waits for it');
		await forwarder.forward();
		t.deepEqual(taken.slice(7), ['note held', 'note committed before it']);
		t.is(await forwarder.countBehind(), 0);
	});
}
