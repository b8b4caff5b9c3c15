// Notes about the trail that are kept outside its own rows reveal changes which these rows alone cannot show.

import { appendFileSync, existsSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import test from 'ava';
import { openLogger } from '../../src/base/log/log.ts';
import { openHeadBook } from '../../src/trail/checks/head-book.ts';
import { databases } from '../helpers/database.ts';
import { HOUR_MS, openIdentityParts } from '../helpers/identity-parts.ts';
import { note, open, record } from './head-book.setup.ts';

for (const dialect of databases) {
	test(`an earlier trail that was put back with its head is found by the file (${dialect})`, async (t) => {
		const parts = await open(t, dialect);
		const { knex } = parts;
		const then = { head: await knex('audit_head').first(), note: await knex('audit_notes').first() };
		await record(parts, 3);
		await parts.book.note(true);
		await knex('audit').where('seq', '>', 6).delete();
		await knex('audit_head').update(then.head);
		await knex('audit_notes').update(then.note);
		t.deepEqual(await parts.audit.verify(), { isWhole: true, entries: 6 });
		const problems = await parts.compare();
		t.is(problems.length, 1);
		t.regex(problems[0], /^line 3 of .*: the trail had 9 entries at .*; now it has 6 and not that one$/);
	});

	test(`the note that was removed shows in the trail after the next start (${dialect})`, async (t) => {
		const parts = await open(t, dialect);
		await parts.knex('audit_notes').delete();
		t.deepEqual(await parts.compare(), ['the database has lost its own note of the head']);
		const restarted = await parts.anotherDaemon();
		t.like(await restarted.audit.verify(), { isWhole: false, brokenAt: 7, reason: 'unfounded' });
	});

	test(`several daemons write into one file, one line at a time (${dialect})`, async (t) => {
		const parts = await open(t, dialect);
		const daemons = [parts, await parts.anotherDaemon(), await parts.anotherDaemon()];
		const books = await Promise.all(daemons.map((daemon) => parts.openBook(daemon)));
		for (let turn = 0; turn < 10; turn += 1) {
			await Promise.all(daemons.map((daemon) => record(daemon, 1)));
			await Promise.all(books.map((book) => book.note(true)));
		}
		t.deepEqual(await parts.compare(), []);
		t.true(parts.lines().length >= 12);
	});

	test(`a trail from before is adopted once, at the next start (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		// The trail is now as an earlier version has left it: the first entry has another name, and there are no notes.
		const { knex } = parts.database;
		await knex('audit_notes').delete();
		await knex('audit').delete();
		const { hashOf, ORIGIN_HASH, signatureOf } = await import('../../src/trail/chain.ts');
		const { id: keyId, secret } = await parts.keyRing.current('audit');
		const entry = { at: 1, actor: 'daemon', action: 'audit.start', subject: 'audit', details: '{}' };
		const hash = hashOf({ ...entry, previous_hash: ORIGIN_HASH, key_id: keyId }, secret);
		await knex('audit').insert({ seq: 1, ...entry, previous_hash: ORIGIN_HASH, key_id: keyId, hash });
		await knex('audit_head').update({ seq: 1, hash, signature: signatureOf({ seq: 1, hash, key_id: keyId }, secret) });
		const started = [await parts.anotherDaemon(), await parts.anotherDaemon()];
		t.deepEqual(await started[1].audit.verify(), { isWhole: true, entries: 2 });
		t.is((await knex('audit').where({ seq: 2 }).first()).action, 'installation.adopt');
		await knex('audit_notes').delete();
		const { audit } = await parts.anotherDaemon();
		t.like(await audit.verify(), { isWhole: false, brokenAt: 3, reason: 'unfounded' });
	});

	test(`the notes still fit after the environment key was rotated (${dialect})`, async (t) => {
		const parts = await open(t, dialect);
		await parts.keyRing.rotateEnvironmentKey();
		await record(parts, 1);
		t.true(await parts.book.note(true));
		t.deepEqual(await parts.compare(), []);
		const [, before, after] = parts.lines().map((line) => JSON.parse(line).environmentKey);
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
		const parts = await open(t, 'sqlite');
		await parts.book.note(true);
		t.deepEqual(await parts.compare(), []);
		parts.keep(tamper(parts.lines()));
		t.regex((await parts.compare())[0], expected);
	});
}

test('a file that is gone is missed, and the one begun in its place is no substitute', async (t) => {
	const parts = await open(t, 'sqlite');
	rmSync(parts.file);
	t.regex((await parts.compare())[0], /is not there, though the database says/);
	await parts.book.note(true);
	t.true(existsSync(parts.file));
	t.regex((await parts.compare())[0], /^line 1 of .*: lines before it are gone/);
});

test('a line that a full disk has cut off is told, and the next one stands for itself', async (t) => {
	const parts = await open(t, 'sqlite');
	appendFileSync(parts.file, '{"at":"2026-');
	await parts.book.note(true);
	const problems = await parts.compare();
	t.is(problems.length, 1);
	t.regex(problems[0], /^line 3 of .* is damaged$/);
});

test('a line that the database has not committed is no harm', async (t) => {
	const parts = await open(t, 'sqlite');
	const before = await parts.knex('audit_notes').first();
	await parts.book.note(true);
	await parts.knex('audit_notes').update(before);
	await record(parts, 1);
	await parts.book.note(true);
	t.deepEqual(await parts.compare(), []);
	t.is(parts.lines().length, 4);
});

test('a file that cannot be written costs an error in the log, and the trail goes on', async (t) => {
	const parts = await openIdentityParts(t, 'sqlite');
	const errors: string[] = [];
	const logger = { error: (_fields: object, message: string) => void errors.push(message) } as never;
	const book = await openHeadBook({ ...parts, headFile: tmpdir(), headEntries: 1, headSeconds: 1, logger });
	await parts.audit.record(note('later'));
	t.deepEqual(await parts.audit.verify(), { isWhole: true, entries: 2 });
	await book.close();
	t.is(errors[0], 'the head of the audit trail could not be noted outside the database');
});

test('a line is written after so many entries, or so long after the line before', async (t) => {
	const parts = await open(t, 'sqlite');
	const logger = openLogger({ level: 'silent' });
	const book = await openHeadBook({ ...parts, headFile: parts.file, headEntries: 3, headSeconds: 600, logger });
	t.teardown(() => book.close());
	const written = parts.lines().length;
	await record(parts, 2);
	t.false(await book.note());
	await record(parts, 1);
	t.true(await book.note());
	await record(parts, 1);
	t.false(await book.note());
	parts.turn(HOUR_MS);
	t.true(await book.note());
	t.is(parts.lines().length, written + 2);
});
