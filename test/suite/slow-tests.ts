// Decides which tests a plain `npm test` leaves out so that it ends in two minutes. CI, `npm run test:all` and
// `npm run test:long` run all of them.

import { readFileSync, writeFileSync } from 'node:fs';
import type { TestTime } from './times.ts';

/** The slow tests of each share by title. */
export type SlowTests = Readonly<Record<string, readonly string[]>>;

/** A test that takes longer than this in a whole run, beside others, is slow. */
const QUICK_MS = 150;
/** The same limit for tests on PostgreSQL, most of which have a twin on SQLite: their server takes the processor too. */
const QUICK_POSTGRES_MS = 100;

/** Slow tests that a plain `npm test` runs nevertheless, because no quick test goes the whole way that they go. */
export const KEPT: ReadonlySet<string> = new Set([
	'OpenSSH sftp puts, lists and gets a TADC file, and its numbers come back',
	"OpenSSH's sftp resumes an upload that broke off, renames it, and gets its output",
	'a daemon without anything compiled takes an upload and gives the result',
	'the example does what it shows',
	'sqlite: killed after accepting: one output in the end, and nothing else',
	'every operation answers what its examples show, in every type they are shown in',
	'every citation leads to a section or a rule',
	'a card is typed with the keyboard alone, and stored',
	'a page of a registered origin shows the form, and a page of any other does not',
	'a guest enters the card, is told that it was stored, and finds the link used up',
	'a clerk sees the masked number, shows the full one, copies it, and it hides itself again',
	'a link leads to a password, then everything to a second factor and back',
	'in a browser a key is made by clicking, and without JavaScript too',
	...['AIR', 'CSV', 'GBT', 'IUR', 'SIMPLECSV', 'SIMPLEJSON', 'TADC'].map(
		(format) => `${format}: no card of 60 generated files passes in silence, and the way back gives each file again`,
	),
	'numbers in any text come back byte for byte, however the file is cut',
]);

const FILE = new URL('./slow-tests.json', import.meta.url);

/** Tells whether this run has all tests. Where every program is required, as in CI, every test is required too. */
export function isWholeRun(env: NodeJS.ProcessEnv = process.env): boolean {
	return env.TOKENDROP_TEST_ALL === '1' || env.TOKENDROP_TEST_LONG === '1' || env.TOKENDROP_TEST_REQUIRE === 'all';
}

/** Chooses the slow tests by the times of a whole run. */
export function chooseSlow(times: readonly TestTime[]): SlowTests {
	const isSlow = ({ title, ms }: TestTime) =>
		ms > (/postgres/i.test(title) ? QUICK_POSTGRES_MS : QUICK_MS) && !KEPT.has(title);
	const byShare = [...Map.groupBy(times, ({ share }) => share)].sort(([one], [other]) => (one < other ? -1 : 1));
	const chosen = byShare.map(([share, tests]) => {
		const titles = tests.filter(isSlow).map(({ title }) => title);
		return [share, titles.sort()];
	});
	return Object.fromEntries(chosen);
}

export function readSlowTests(): SlowTests {
	return JSON.parse(readFileSync(FILE, 'utf8'));
}

export function writeSlowTests(slow: SlowTests): void {
	writeFileSync(FILE, `${JSON.stringify(slow, undefined, '\t')}\n`);
}

/** Returns patterns for `match` of AVA that choose every test but the slow ones. */
export function quickPatterns(slow: SlowTests): string[] {
	// A backslash makes AVA take the next character as it is.
	return [
		'*',
		...Object.values(slow)
			.flat()
			.map((title) => `!${title.replace(/[\\*]/g, '\\$&')}`),
	];
}
