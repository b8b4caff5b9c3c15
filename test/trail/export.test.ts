import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import type { Dialect } from '../../src/base/database/dialect.ts';
import { openKeyRing } from '../../src/base/keys/key-ring.ts';
import { localRootKey } from '../../src/base/keys/providers/local.ts';
import type { TrailRange } from '../../src/trail/audit-store.ts';
import { verifyExport } from '../../src/trail/checks/verify-export.ts';
import { anyCharacter } from '../helpers/any-character.ts';
import { databases, openTestDatabase } from '../helpers/database.ts';
import { HOUR_MS, type IdentityParts, openIdentityParts } from '../helpers/identity-parts.ts';

const DAY_MS = 24 * HOUR_MS;

/** Opens a trail with entries 2 to 6, one a day from the 21st on. */
async function open(t: ExecutionContext, dialect: Dialect) {
	const parts = await openIdentityParts(t, dialect);
	for (let i = 2; i <= 6; i++) {
		const details = { name: `n${i}`, 12: 'a number for a name', count: i, none: null };
		await parts.audit.record({ actor: 'operator test', action: 'test.note', subject: `note ${i}`, details });
		parts.turn(DAY_MS);
	}
	return parts;
}

async function exportLines({ audit }: Pick<IdentityParts, 'audit'>, range?: TrailRange): Promise<string[]> {
	let text = '';
	const sink = new Writable({
		write(chunk, _encoding, done) {
			text += chunk;
			done();
		},
	});
	await audit.exportTo(sink, range);
	return text === '' ? [] : text.trimEnd().split('\n');
}

async function* each(lines: readonly string[]) {
	yield* lines;
}

for (const dialect of databases) {
	test(`an export is proven by itself, after the trail is gone too (${dialect})`, async (t) => {
		const parts = await open(t, dialect);
		await parts.keyRing.rotate('audit');
		const later = await parts.anotherDaemon();
		await later.audit.record({ actor: 'daemon', action: 'test.note', subject: 'under a new key' });
		const lines = await exportLines(parts);
		t.is(lines.length, 8);
		await parts.database.knex('audit').delete();
		const whole = { isWhole: true, entries: 7, first: 1, last: 7 } as const;
		t.like(await verifyExport(each(lines), parts.keyRing), whole);
		t.like(await verifyExport(each(lines), undefined), whole);
		t.like(await verifyExport(each(lines.with(2, lines[2].replace('n3', 'n4'))), undefined), whole);
	});

	test(`a range is by entries or by time, and stands for itself (${dialect})`, async (t) => {
		const parts = await open(t, dialect);
		const start = Date.parse('2026-11-21T00:00:00Z');
		const ranges: [TrailRange, number, number][] = [
			[{ first: 3, last: 5 }, 3, 5],
			[{ last: 2 }, 1, 2],
			[{ first: 6 }, 6, 6],
			[{ since: start + DAY_MS, until: start + 3 * DAY_MS - 1 }, 3, 4],
			[{ since: start + 4 * DAY_MS }, 6, 6],
		];
		for (const [range, first, last] of ranges) {
			const lines = await exportLines(parts, range);
			t.like(await verifyExport(each(lines), parts.keyRing), { isWhole: true, first, last, entries: last - first + 1 });
		}
		t.deepEqual(await exportLines(parts, { first: 7 }), []);
		t.deepEqual(await exportLines(parts, { since: start + 9 * DAY_MS }), []);
	});
}

const tamperings: Record<string, [(lines: string[]) => string[], string, number]> = {
	'an entry altered': [(lines) => lines.with(2, lines[2].replace('n3', 'n9')), 'altered', 3],
	'a time altered': [(lines) => lines.with(2, lines[2].replace('T12', 'T13')), 'altered', 3],
	'an entry taken out': [(lines) => lines.toSpliced(2, 1), 'missing', 3],
	'two changed places': [(lines) => lines.with(2, lines[3]).with(3, lines[2]), 'missing', 3],
	'the end cut off': [(lines) => lines.slice(0, 4), 'cut', 4],
	'entries before the end cut off': [(lines) => lines.toSpliced(4, 2), 'cut', 5],
	'the beginning cut off': [(lines) => lines.slice(1), 'cut', 6],
	'lines after the end': [(lines) => [...lines, lines[0]], 'added', 8],
	'the end altered to fit': [
		(lines) =>
			lines.toSpliced(5, 1).with(-1, lines[6].replace('"last":6', '"last":5').replace('"entries":6', '"entries":5')),
		'altered',
		6,
	],
	'a line that is none': [(lines) => lines.with(1, 'x'), 'unreadable', 2],
	'nothing at all': [() => [], 'cut', 0],
};
for (const [name, [tamper, reason, line]] of Object.entries(tamperings)) {
	test(`${name}: the export does not pass`, async (t) => {
		const parts = await open(t, 'sqlite');
		const lines = await exportLines(parts);
		t.like(await verifyExport(each(tamper(lines)), parts.keyRing), { isWhole: false, reason, line });
	});
}

test('no character of an export can be another, and an export of another installation proves nothing', async (t) => {
	const parts = await open(t, 'sqlite');
	const lines = await exportLines(parts);
	const text = lines.join('\n');
	await fc.assert(
		fc.asyncProperty(fc.nat(text.length - 1), fc.constantFrom(...'0a9f"x,'), async (at, character) => {
			const changed = text.slice(0, at) + character + text.slice(at + 1);
			const verdict = await verifyExport(each(changed.split('\n')), parts.keyRing);
			return changed === text || !verdict.isWhole || isSameJson(changed, text);
		}),
		{ numRuns: 300 },
	);
	const database = await openTestDatabase(t, 'sqlite');
	const root = localRootKey(randomBytes(32), 'other');
	const other = await openKeyRing({ database, root, environment: 'sandbox' });
	t.like(await verifyExport(each(lines), other), { isWhole: false, reason: 'altered', line: 1 });
});

/** Tells whether two exports are the same JSON, which may be written in different ways. */
function isSameJson(a: string, b: string): boolean {
	const read = (text: string) => text.split('\n').map((line) => JSON.parse(line));
	return JSON.stringify(read(a)) === JSON.stringify(read(b));
}

test('details of any kind are proven', async (t) => {
	const parts = await openIdentityParts(t, 'sqlite');
	const value = fc.oneof(
		fc.string({ unit: anyCharacter }),
		fc.double({ noNaN: true, noDefaultInfinity: true }),
		fc.boolean(),
		fc.constant(null),
	);
	await fc.assert(
		fc.asyncProperty(fc.dictionary(fc.string(), value), async (details) => {
			await parts.audit.record({ actor: 'daemon', action: 'test.note', subject: 'any', details });
		}),
		{ numRuns: 100 },
	);
	t.true((await parts.audit.verify()).isWhole);
	t.true((await verifyExport(each(await exportLines(parts)), parts.keyRing)).isWhole);
});
