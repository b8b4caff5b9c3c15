// Notes about the trail that are kept outside its own rows reveal changes which these rows alone cannot show.

import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { openLogger } from '../../src/base/log/log.ts';
import { compareHeads } from '../../src/trail/checks/compare-heads.ts';
import { openHeadBook } from '../../src/trail/checks/head-book.ts';
import { databases } from '../helpers/database.ts';
import { HOUR_MS, type IdentityRooms, openIdentityRooms } from '../helpers/identity-rooms.ts';

const note = (name: string) => ({ actor: 'operator test', action: 'test.note', subject: `note ${name}` });

async function record(rooms: Pick<IdentityRooms, 'audit'>, entries: number) {
	for (let count = 0; count < entries; count += 1) await rooms.audit.record(note(String(count)));
}

/** Opens a trail of six entries, and a file of heads with two lines, of which the last one is about the fifth entry. */
async function open(t: ExecutionContext, dialect: Dialect) {
	const rooms = await openIdentityRooms(t, dialect);
	// Every installation has keys for more than the trail, so this one gets another key too.
	await rooms.keyRing.current('token');
	const folder = mkdtempSync(join(tmpdir(), 'tokendrop-test-'));
	t.teardown(() => rmSync(folder, { recursive: true }));
	const file = join(folder, 'heads.jsonl');
	const errors: string[] = [];
	const logger = { error: (_fields: object, message: string) => void errors.push(message) } as never;
	const limits = { headEntries: 1000, headSeconds: 60 };
	const openBook = async (daemon: Pick<IdentityRooms, 'keyRing'> = rooms) => {
		const book = await openHeadBook({ ...rooms, ...limits, keyRing: daemon.keyRing, headFile: file, logger });
		t.teardown(() => book.close());
		return book;
	};
	await record(rooms, 2);
	const book = await openBook();
	await record(rooms, 2);
	await book.note(true);
	await record(rooms, 1);
	const compare = (daemon: Pick<IdentityRooms, 'keyRing'> = rooms) =>
		compareHeads({ database: rooms.database, keyRing: daemon.keyRing, headFile: file });
	const lines = () => readFileSync(file, 'utf8').trimEnd().split('\n');
	const keep = (kept: readonly string[]) => writeFileSync(file, kept.map((line) => `${line}\n`).join(''));
	return { ...rooms, knex: rooms.database.knex, file, book, openBook, compare, lines, keep, errors };
}

for (const dialect of databases) {
	test(`a trail that nobody touched fits what was noted of it (${dialect})`, async (t) => {
		const { audit, compare, lines, file, book } = await open(t, dialect);
		t.deepEqual(await compare(), []);
		t.deepEqual(
			lines().map((line) => JSON.parse(line).entries),
			[3, 5],
		);
		t.is(statSync(file).mode & 0o777, 0o600);
		t.deepEqual(await audit.verify(), { isWhole: true, entries: 6 });
		t.true(await book.note(true));
		t.false(await book.note(true), 'nothing has come since');
		t.is(lines().length, 3);
	});

	test(`a trail wiped with its head and its key is missed by trail and notes, whatever follows (${dialect})`, async (t) => {
		const rooms = await open(t, dialect);
		await rooms.knex('audit').delete();
		await rooms.knex('audit_head').delete();
		await rooms.knex('keys').where({ purpose: 'audit' }).delete();
		const restarted = await rooms.anotherDaemon();
		t.like(await restarted.audit.verify(), { isWhole: false, brokenAt: 1, reason: 'restarted' });
		const problems = await rooms.compare(restarted);
		t.regex(problems[0], /^line 1 of .*: the trail had 3 entries at .*; now it has 1 and not that one$/);
		t.is(problems.length, 3, problems.join('\n'));
		await record(restarted, 8);
		await rooms.openBook(restarted);
		t.true((await rooms.compare(restarted)).some((problem) => /^line 1 of .*: entry 3 is another one/.test(problem)));
	});

	test(`wiped with the database's own note as well, it is still missed (${dialect})`, async (t) => {
		const rooms = await open(t, dialect);
		for (const table of ['audit', 'audit_head', 'audit_notes']) await rooms.knex(table).delete();
		await rooms.knex('keys').where({ purpose: 'audit' }).delete();
		const restarted = await rooms.anotherDaemon();
		t.like(await restarted.audit.verify(), { isWhole: false, reason: 'restarted' });
		t.regex((await rooms.compare(restarted)).join('\n'), /lost its own note of the head, which .* shows it had/);
		await rooms.openBook(restarted);
		t.regex((await rooms.compare(restarted)).join('\n'), /line 3 of .*: lines before it are gone/);
	});

	test(`an earlier trail that was put back with its head is found by the file (${dialect})`, async (t) => {
		const rooms = await open(t, dialect);
		const { knex } = rooms;
		const then = { head: await knex('audit_head').first(), note: await knex('audit_notes').first() };
		await record(rooms, 3);
		await rooms.book.note(true);
		await knex('audit').where('seq', '>', 6).delete();
		await knex('audit_head').update(then.head);
		await knex('audit_notes').update(then.note);
		t.deepEqual(await rooms.audit.verify(), { isWhole: true, entries: 6 });
		const problems = await rooms.compare();
		t.is(problems.length, 1);
		t.regex(problems[0], /^line 3 of .*: the trail had 9 entries at .*; now it has 6 and not that one$/);
	});

	test(`the note that was removed shows in the trail after the next start (${dialect})`, async (t) => {
		const rooms = await open(t, dialect);
		await rooms.knex('audit_notes').delete();
		t.deepEqual(await rooms.compare(), ['the database has lost its own note of the head']);
		const restarted = await rooms.anotherDaemon();
		t.like(await restarted.audit.verify(), { isWhole: false, brokenAt: 7, reason: 'unfounded' });
	});

	test(`several daemons write into one file, one line at a time (${dialect})`, async (t) => {
		const rooms = await open(t, dialect);
		const daemons = [rooms, await rooms.anotherDaemon(), await rooms.anotherDaemon()];
		const books = await Promise.all(daemons.map((daemon) => rooms.openBook(daemon)));
		for (let turn = 0; turn < 10; turn += 1) {
			await Promise.all(daemons.map((daemon) => record(daemon, 1)));
			await Promise.all(books.map((book) => book.note(true)));
		}
		t.deepEqual(await rooms.compare(), []);
		t.true(rooms.lines().length >= 12);
	});

	test(`a trail from before is adopted once, at the next start (${dialect})`, async (t) => {
		const rooms = await openIdentityRooms(t, dialect);
		// The trail is now as an earlier version has left it: the first entry has another name, and there are no notes.
		const { knex } = rooms.database;
		await knex('audit_notes').delete();
		await knex('audit').delete();
		const { hashOf, ORIGIN_HASH, signatureOf } = await import('../../src/trail/chain.ts');
		const { id: keyId, secret } = await rooms.keyRing.current('audit');
		const entry = { at: 1, actor: 'daemon', action: 'audit.start', subject: 'audit', details: '{}' };
		const hash = hashOf({ ...entry, previousHash: ORIGIN_HASH, keyId }, secret);
		await knex('audit').insert({ seq: 1, ...entry, previous_hash: ORIGIN_HASH, key_id: keyId, hash });
		await knex('audit_head').update({ seq: 1, hash, signature: signatureOf({ seq: 1, hash, keyId }, secret) });
		const started = [await rooms.anotherDaemon(), await rooms.anotherDaemon()];
		t.deepEqual(await started[1].audit.verify(), { isWhole: true, entries: 2 });
		t.is((await knex('audit').where({ seq: 2 }).first()).action, 'installation.adopt');
		await knex('audit_notes').delete();
		const { audit } = await rooms.anotherDaemon();
		t.like(await audit.verify(), { isWhole: false, brokenAt: 3, reason: 'unfounded' });
	});

	test(`the notes still fit after the environment key was rotated (${dialect})`, async (t) => {
		const rooms = await open(t, dialect);
		await rooms.keyRing.rotateEnvironmentKey();
		await record(rooms, 1);
		t.true(await rooms.book.note(true));
		t.deepEqual(await rooms.compare(), []);
		const [, before, after] = rooms.lines().map((line) => JSON.parse(line).environmentKey);
		t.not(after, before);
	});
}

const tamperings: Record<string, [(lines: string[]) => string[], RegExp]> = {
	'the first line removed': [(lines) => lines.slice(1), /^line 1 of .*: lines before it are gone/],
	'a line in the middle removed': [([a, , c]) => [a, c], /^line 2 of .*: lines before it are gone/],
	'the last line removed': [(lines) => lines.slice(0, -1), /lacks the line that the database wrote last$/],
	'every line removed': [() => [], /lacks the line that the database wrote last$/],
	'a hash altered': [
		([a, b, c]) => [a, b, c.replace(/"hash":"...../, '"hash":"00000')],
		/^line 3 of .* was written or changed by somebody without the keys$/,
	],
	'a count altered': [
		([a, b, c]) => [a, b, c.replace(/"entries":\d+/, '"entries":4')],
		/^line 3 of .* was written or changed by somebody without the keys$/,
	],
	'a line cut off': [([a, b, c]) => [a, b, c.slice(0, 100)], /^line 3 of .* is damaged$/],
};
for (const [name, [tamper, expected]] of Object.entries(tamperings)) {
	test(`${name}: the file does not fit`, async (t) => {
		const rooms = await open(t, 'sqlite');
		await rooms.book.note(true);
		t.deepEqual(await rooms.compare(), []);
		rooms.keep(tamper(rooms.lines()));
		t.regex((await rooms.compare())[0], expected);
	});
}

test('a file that is gone is missed, and the one begun in its place is no substitute', async (t) => {
	const rooms = await open(t, 'sqlite');
	rmSync(rooms.file);
	t.regex((await rooms.compare())[0], /is not there, though the database says/);
	await rooms.book.note(true);
	t.true(existsSync(rooms.file));
	t.regex((await rooms.compare())[0], /^line 1 of .*: lines before it are gone/);
});

test('a line that a full disk has cut off is told, and the next one stands for itself', async (t) => {
	const rooms = await open(t, 'sqlite');
	appendFileSync(rooms.file, '{"at":"2026-');
	await rooms.book.note(true);
	const problems = await rooms.compare();
	t.is(problems.length, 1);
	t.regex(problems[0], /^line 3 of .* is damaged$/);
});

test('a line that the database has not committed is no harm', async (t) => {
	const rooms = await open(t, 'sqlite');
	const before = await rooms.knex('audit_notes').first();
	await rooms.book.note(true);
	await rooms.knex('audit_notes').update(before);
	await record(rooms, 1);
	await rooms.book.note(true);
	t.deepEqual(await rooms.compare(), []);
	t.is(rooms.lines().length, 4);
});

test('a file that cannot be written costs an error in the log, and the trail goes on', async (t) => {
	const rooms = await openIdentityRooms(t, 'sqlite');
	const errors: string[] = [];
	const logger = { error: (_fields: object, message: string) => void errors.push(message) } as never;
	const book = await openHeadBook({ ...rooms, headFile: tmpdir(), headEntries: 1, headSeconds: 1, logger });
	await rooms.audit.record(note('later'));
	t.deepEqual(await rooms.audit.verify(), { isWhole: true, entries: 2 });
	await book.close();
	t.is(errors[0], 'the head of the audit trail could not be noted outside the database');
});

test('a line is written after so many entries, or so long after the line before', async (t) => {
	const rooms = await open(t, 'sqlite');
	const logger = openLogger({ level: 'silent' });
	const book = await openHeadBook({ ...rooms, headFile: rooms.file, headEntries: 3, headSeconds: 600, logger });
	t.teardown(() => book.close());
	const written = rooms.lines().length;
	await record(rooms, 2);
	t.false(await book.note());
	await record(rooms, 1);
	t.true(await book.note());
	await record(rooms, 1);
	t.false(await book.note());
	rooms.turn(HOUR_MS);
	t.true(await book.note());
	t.is(rooms.lines().length, written + 2);
});
