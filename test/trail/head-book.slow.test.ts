// Those tests of head-book.test.ts that take long.

import { statSync } from 'node:fs';
import test from 'ava';
import { databases } from '../helpers/database.ts';
import { open, record } from './head-book.setup.ts';

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
		const parts = await open(t, dialect);
		await parts.knex('audit').delete();
		await parts.knex('audit_head').delete();
		await parts.knex('keys').where({ purpose: 'audit' }).delete();
		const restarted = await parts.anotherDaemon();
		t.like(await restarted.audit.verify(), { isWhole: false, brokenAt: 1, reason: 'restarted' });
		const problems = await parts.compare(restarted);
		t.regex(problems[0], /^line 1 of .*: the trail had 3 entries at .*; now it has 1 and not that one$/);
		t.is(problems.length, 3, problems.join('\n'));
		await record(restarted, 8);
		await parts.openBook(restarted);
		t.true((await parts.compare(restarted)).some((problem) => /^line 1 of .*: entry 3 is another one/.test(problem)));
	});

	test(`wiped with the database's own note as well, it is still missed (${dialect})`, async (t) => {
		const parts = await open(t, dialect);
		for (const table of ['audit', 'audit_head', 'audit_notes']) await parts.knex(table).delete();
		await parts.knex('keys').where({ purpose: 'audit' }).delete();
		const restarted = await parts.anotherDaemon();
		t.like(await restarted.audit.verify(), { isWhole: false, reason: 'restarted' });
		t.regex((await parts.compare(restarted)).join('\n'), /lost its own note of the head, which .* shows it had/);
		await parts.openBook(restarted);
		t.regex((await parts.compare(restarted)).join('\n'), /line 3 of .*: lines before it are gone/);
	});
}
