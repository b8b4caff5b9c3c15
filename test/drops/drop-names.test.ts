import test from 'ava';
import { failedName, findNameProblem, isPartialName, nameWith } from '../../src/work/drops/drop-names.ts';

const partial = test.macro({
	title: (_, name: string, expected: boolean) => `${name} is ${expected ? 'a partial' : 'a final'} name`,
	exec: (t, name: string, expected: boolean) => t.is(isPartialName(name), expected),
});
for (const name of ['a.filepart', 'a.csv.FilePart', 'a.partial', 'a.part', 'a.tmp', '.a.csv', '.'])
	test(partial, name, true);
for (const name of ['a.csv', 'part', 'a.parts', 'tmp', 'a.tmp.csv', 'a.']) test(partial, name, false);

const allowed = test.macro({
	title: (_, name: string) => `${name} may be a name`,
	exec: (t, name: string) => t.is(findNameProblem(name), undefined),
});
for (const name of [
	'may.csv',
	'20250131235959.csv',
	'2025-01-31 23.59.59.csv',
	'2025-01-31_10.15.33_000123456.csv',
	'EXPORT-20250131-101533-000123456789.csv',
	'größe 1.txt',
	'export_2025_0131_1015_3300.csv',
	'1.2.3.4.5.6.7.8.9.10.11.12.txt',
	'BATCH-000123456789.air',
	'a'.repeat(200),
]) {
	test(allowed, name);
}

const refused = test.macro({
	title: (_, what: string) => `a name with ${what} is refused, and not repeated`,
	exec(t, _what: string, name: string, expected: RegExp) {
		const problem = findNameProblem(name);
		t.regex(problem ?? '', expected);
		t.false(problem?.includes(name) && name !== '');
	},
});
test(refused, 'a card number', '4111111111111111.csv', /card numbers/);
test(refused, 'a card number in full-width digits', '５５５５５５５５５５５５４４４４.csv', /card numbers/);
test(refused, 'a grouped card number', 'x 5555-5555-5555-4444 y', /card numbers/);
test(refused, 'a card number in groups of its brand', 'x_3782-822463-10005_y', /card numbers/);
test(refused, 'a card number with points between its groups', 'may 4111.1111.1111.1111.csv', /card numbers/);
test(refused, 'a card number with underscores between its groups', 'x_3782_822463_10005.csv', /card numbers/);
test(refused, 'a number and a code', '4111111111111111123', /card numbers/);
test(refused, 'a number and an expiry', '41111111111111111228.csv', /card numbers/);
test(refused, 'a date and a number', '202611224111111111111111.csv', /card numbers/);
test(refused, 'single digits apart by blanks', '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1', /card numbers/);
test(refused, 'a line feed', 'a\nb', /control/);
test(refused, 'a control character beyond ASCII, which terminals carry out', 'a\u009b2Jb', /control/);
test(refused, 'a slash', 'a/b', /slashes/);
test(refused, 'nothing', '', /control/);
test(refused, 'too many bytes', 'x'.repeat(201), /200 bytes/);

const ID = '01JZ0000000000000000000000';
const ofJob = test.macro({
	title: (_, name: string, expected: string) => `the output ${name} of a job makes room as ${expected}`,
	exec(t, name: string, expected: string) {
		t.is(nameWith(name, ID), expected);
	},
});
test(ofJob, 'daily.csv', `daily.${ID}.csv`);
test(ofJob, 'daily', `daily.${ID}`);
test(ofJob, 'daily.tar.gz', `daily.tar.${ID}.gz`);
test(ofJob, 'daily.', `daily.${ID}.`);
test(ofJob, '.daily', `.daily.${ID}`);
test(ofJob, 'daily 1. may', `daily 1.${ID}. may`);
test(ofJob, `daily.${ID}.csv`, `daily.${ID}.${ID}.csv`);

test('a failed input is listed under its whole name, the older ones with their job', (t) => {
	t.is(failedName('daily.csv'), 'daily.csv.failed');
	t.is(failedName('daily.csv', ID), `daily.csv.${ID}.failed`);
	t.is(failedName('daily'), 'daily.failed');
});
