import { Writable } from 'node:stream';
import test from 'ava';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { databases } from '../helpers/database.ts';
import { type IdentityParts, openIdentityParts } from '../helpers/identity-parts.ts';
import { entriesOf } from '../helpers/trail-export.ts';

const entry = (name: string) => ({ actor: 'operator test', action: 'test.note', subject: `note ${name}` });

async function openTrail(t: Parameters<typeof openIdentityParts>[0], dialect: Dialect, entries = 6) {
	const parts = await openIdentityParts(t, dialect);
	for (let i = 2; i <= entries; i++) await parts.audit.record(entry(String(i)));
	return parts;
}

async function exported({ audit }: Pick<IdentityParts, 'audit'>): Promise<Record<string, unknown>[]> {
	let text = '';
	const sink = new Writable({
		highWaterMark: 16,
		write(chunk, _encoding, done) {
			text += chunk;
			setImmediate(done);
		},
	});
	await audit.exportTo(sink);
	return entriesOf(text);
}

for (const dialect of databases) {
	test(`a trail that nobody touched is whole (${dialect})`, async (t) => {
		const parts = await openTrail(t, dialect);
		t.deepEqual(await parts.audit.verify(), { isWhole: true, entries: 6 });
	});

	const breaks = {
		'content altered': ['update audit set subject = ? where seq = 3', ['note x'], 3, 'altered'],
		'details altered': [`update audit set details = '{"a":1}' where seq = 4`, [], 4, 'altered'],
		'time altered': ['update audit set at = at + 1 where seq = 5', [], 5, 'altered'],
		'hash altered': ['update audit set hash = ? where seq = 2', ['0'.repeat(64)], 2, 'altered'],
		'an entry deleted': ['delete from audit where seq = 4', [], 4, 'missing'],
		'the first entry deleted': ['delete from audit where seq = 1', [], 1, 'missing'],
		'the end cut off': ['delete from audit where seq > 4', [], 5, 'cut'],
		'every entry deleted': ['delete from audit', [], 1, 'cut'],
		'the head deleted': ['delete from audit_head', [], 1, 'head-missing'],
		'the head moved back': ['update audit_head set seq = 4', [], 4, 'head-altered'],
	} as const;
	for (const [name, [sql, bindings, brokenAt, reason]] of Object.entries(breaks)) {
		test(`${name}: the break is found where it is (${dialect})`, async (t) => {
			const parts = await openTrail(t, dialect);
			await parts.database.knex.raw(sql, [...bindings]);
			const verdict = await parts.audit.verify();
			t.like(verdict, { isWhole: false, brokenAt, reason });
		});
	}

	test(`an export whose file cannot be opened ends with its error (${dialect})`, async (t) => {
		const { audit } = await openTrail(t, dialect);
		const full = () => Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
		const broken = new Writable({ construct: (done) => setImmediate(done, full()) });
		await t.throwsAsync(audit.exportTo(broken), { code: 'ENOSPC' });
	});

	test(`two entries that change places are found (${dialect})`, async (t) => {
		const parts = await openTrail(t, dialect);
		const { knex } = parts.database;
		for (const [from, to] of [
			[3, 100],
			[4, 3],
			[100, 4],
		])
			await knex('audit').where({ seq: from }).update({ seq: to });
		t.like(await parts.audit.verify(), { isWhole: false, brokenAt: 3, reason: 'reordered' });
	});

	test(`an entry deleted and the rest renumbered is found (${dialect})`, async (t) => {
		const parts = await openTrail(t, dialect);
		const { knex } = parts.database;
		await knex('audit').where({ seq: 3 }).delete();
		for (const seq of [4, 5, 6])
			await knex('audit')
				.where({ seq })
				.update({ seq: seq - 1 });
		t.like(await parts.audit.verify(), { isWhole: false, brokenAt: 3, reason: 'reordered' });
	});

	test(`an entry that was added behind the head is found (${dialect})`, async (t) => {
		const parts = await openTrail(t, dialect);
		const { knex } = parts.database;
		const last = await knex('audit').where({ seq: 6 }).first();
		await knex('audit').insert({ ...last, seq: 7 });
		t.like(await parts.audit.verify(), { isWhole: false, brokenAt: 7, reason: 'added' });
	});

	test(`a trail wiped together with its head stays broken after a restart (${dialect})`, async (t) => {
		const parts = await openTrail(t, dialect);
		await parts.database.knex('audit').delete();
		await parts.database.knex('audit_head').delete();
		await t.throwsAsync(parts.audit.record(entry('lost')), { message: /head of the audit trail is gone/ });
		const restarted = await parts.anotherDaemon();
		await restarted.audit.record(entry('later'));
		t.like(await restarted.audit.verify(), { isWhole: false, brokenAt: 1, reason: 'restarted' });
	});

	test(`entries of several daemons at once make one whole chain (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const daemons = [parts, await parts.anotherDaemon(), await parts.anotherDaemon()];
		await Promise.all(Array.from({ length: 90 }, (_, i) => daemons[i % 3].audit.record(entry(String(i)))));
		t.deepEqual(await parts.audit.verify(), { isWhole: true, entries: 91 });
		const subjects = new Set((await exported(parts)).slice(1).map((line) => line.subject));
		t.is(subjects.size, 90);
	});

	test(`an entry stands or falls with the transaction it is recorded in (${dialect})`, async (t) => {
		const parts = await openTrail(t, dialect, 2);
		const failing = parts.database.knex.transaction(async (transaction) => {
			await parts.audit.record(entry('undone'), transaction);
			throw new Error('undone');
		});
		await t.throwsAsync(failing, { message: 'undone' });
		await parts.database.knex.transaction((transaction) => parts.audit.record(entry('done'), transaction));
		t.deepEqual(await parts.audit.verify(), { isWhole: true, entries: 3 });
		t.is((await exported(parts)).at(-1)?.subject, 'note done');
	});

	test(`entries under an older key still verify after a rotation (${dialect})`, async (t) => {
		const parts = await openTrail(t, dialect, 3);
		const { id } = await parts.keyRing.rotate('audit');
		const later = await parts.anotherDaemon();
		await later.audit.record(entry('new key'));
		t.deepEqual(await parts.audit.verify(), { isWhole: true, entries: 4 });
		const keyIds = (await exported(parts)).map((line) => line.keyId);
		t.is(keyIds.at(-1), id);
		t.is(new Set(keyIds).size, 2);
	});

	test(`the export has every entry in order, chained, with details and ISO times (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		await parts.audit.record({ ...entry('one'), details: { zulu: 'z', alpha: 1, none: null, yes: true } });
		await Promise.all(Array.from({ length: 1_100 }, (_, i) => parts.audit.record(entry(String(i)))));
		const lines = await exported(parts);
		t.is(lines.length, 1_102);
		t.deepEqual(
			lines.map((line) => line.seq),
			lines.map((_, index) => index + 1),
		);
		for (let i = 1; i < lines.length; i++) if (lines[i].previousHash !== lines[i - 1].hash) t.fail(`entry ${i + 1}`);
		t.like(lines[1], {
			at: '2026-11-21T12:00:00.000Z',
			actor: 'operator test',
			action: 'test.note',
			subject: 'note one',
		});
		t.deepEqual(lines[1].details, { alpha: 1, none: null, yes: true, zulu: 'z' });
		t.deepEqual(await parts.audit.verify(), { isWhole: true, entries: 1_102 });
	});

	test(`card numbers never reach the trail (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		await parts.audit.record({
			actor: 'user 4111111111111111',
			action: 'file.accept',
			subject: 'file booking 4111 1111 1111 1111.csv',
			details: { name: 'x-5500-0000-0000-0004', bare: 4111111111111111, '378282246310005': 'key', count: 12 },
		});
		const text = JSON.stringify(await parts.database.knex('audit').select());
		for (const number of [/4111[ -]?1111[ -]?1111[ -]?1111/, /5500-0000-0000-0004/, /378282246310005/])
			t.notRegex(text, number);
		t.regex(text, /"count\\":12/);
		t.true((await parts.audit.verify()).isWhole);
	});

	test(`an IPv6 address with the digits of a card number says who called (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const address = '2a02:8109:3532:7354:7188:eaa:c85a:d364';
		const actor = { userId: 'agency', address };
		await parts.audit.record({ ...entry('by its address'), actor });
		await parts.audit.record({ ...entry('by its network'), details: { address: '4111:1111:1111:1111::/64' } });
		await parts.audit.record({ ...entry('no address'), details: { address: '4111:1111:1111:1111' } });
		const rows = await parts.database.knex('audit').whereLike('subject', 'note %').orderBy('seq');
		const found = rows.map(({ details }) => JSON.parse(details).address);
		t.deepEqual(found, [address, '4111:1111:1111:1111::/64', '4111:11**:****:1111']);
	});

	test(`text that a database cannot keep as it is verifies all the same (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		await parts.audit.record({ ...entry('a\0b\ud800c é 漢 "quoted"'), details: { name: '\0\udfff' } });
		t.true((await parts.audit.verify()).isWhole);
	});
}
