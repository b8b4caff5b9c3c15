// Runs the small files of `fixtures/cases`, each of which shows one way in which cards are typed, exported or mangled, and
// checks what its `expected.json` says must come out (fixtures/README.md).

import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { formats } from '../../formats/index.ts';
import { FileError, type Format } from '../../src/engine/format.ts';
import { openVaultParts, type Swapped, swap } from '../helpers/vault-parts.ts';

interface StarredPlace {
	readonly in: string;
	readonly out: string | readonly string[];
	readonly or?: 'told' | 'kept';
}

interface Expected {
	readonly why: string;
	readonly swapped?: readonly string[];
	readonly told?: readonly string[];
	readonly untold?: readonly string[];
	readonly starred?: readonly StarredPlace[];
	readonly kept?: readonly string[];
	readonly noWarning?: readonly string[];
	readonly wrapped?: { readonly lines?: readonly [number, number]; readonly lastFour: string };
	readonly masked?: number;
	readonly mayBeRejected?: boolean;
	readonly twice?: boolean;
}

/** A text of the input that may be replaced, with what may stand in its place as a regular expression. */
interface Place {
	readonly at: number;
	readonly text: string;
	readonly pattern: string;
	/** Says whether the text may stay if the report tells of it. */
	readonly or: 'told' | 'kept' | 'never';
	readonly isCode: boolean;
}

const ROOT = fileURLToPath(new URL('../../fixtures/cases/', import.meta.url));
const TOKEN = '"?[0-9a-fA-F]{32}"?';
const MASKED = '\\d{6}[*X]+\\d{4}';

/** Reads bytes as they are, so that offsets in the text are offsets in the file. */
const textOf = (bytes: Buffer | string) => Buffer.from(bytes as string).toString('latin1');
const literal = (text: string) => text.replace(/[^\w\s]/g, '\\$&');
const lineAt = (input: string, at: number) => input.slice(0, at).split(/\r\n|\r|\n/).length;

function placesOf(input: string, expected: Expected, isMasking: boolean): Place[] {
	const places: Place[] = [];
	const addAll = <T>(
		list: readonly T[],
		textIn: (item: T) => string,
		describe: (item: T) => Omit<Place, 'at' | 'text'>,
	) => {
		let from = 0;
		for (const item of list) {
			const text = textOf(textIn(item));
			const at = input.indexOf(text, from);
			if (at === -1) throw new Error(`the case does not hold ${text}`);
			from = at + text.length;
			places.push({ at, text, ...describe(item) });
		}
	};
	const number = isMasking ? `(?:${TOKEN}|${MASKED})` : TOKEN;
	addAll(
		expected.swapped ?? [],
		(text) => text,
		() => ({ pattern: number, or: 'never', isCode: false }),
	);
	addAll(
		expected.told ?? [],
		(text) => text,
		(text) => ({ pattern: `(?:${number}|${literal(textOf(text))})`, or: 'told', isCode: false }),
	);
	addAll(
		expected.starred ?? [],
		({ in: text }) => text,
		({ in: text, out, or }) => {
			const outs = [out].flat().concat(or ? [text] : []);
			return { pattern: `(?:${outs.map((each) => literal(textOf(each))).join('|')})`, or: or ?? 'never', isCode: true };
		},
	);
	return places.sort((one, other) => one.at - other.at);
}

function outputPattern(input: string, places: readonly Place[]): RegExp {
	let at = 0;
	let pattern = '';
	for (const place of places) {
		pattern += `${literal(input.slice(at, place.at))}(${place.pattern})`;
		at = place.at + place.text.length;
	}
	return new RegExp(`^${pattern}${literal(input.slice(at))}$`);
}

const digitsOf = (text: string) => text.replace(/\D/g, '');

function isNumberTold({ entries }: Swapped, line: number, lastFour: string): boolean {
	return entries.some(
		(entry) =>
			entry.line === line &&
			(entry.outcome === 'refused' || entry.outcome === 'otherNumber') &&
			(entry.lastFour === lastFour || entry.number?.endsWith(lastFour) === true),
	);
}

function isCodeTold({ entries, summary }: Swapped, filter: string, line: number): boolean {
	if (entries.some((entry) => entry.line === line && entry.outcome === 'otherCode')) return true;
	const isNamed = new RegExp(`\\bline ${line}\\b`);
	const hasFields = filter !== 'AIR' && filter !== 'IUR';
	return summary.notices.some(
		(notice) => isNamed.test(notice) || (hasFields && /(?:column|key|element) /.test(notice)),
	);
}

/** Says what the report lacks or should not have. */
function faultsOfReport(
	input: string,
	places: readonly Place[],
	swapped: Swapped,
	expected: Expected,
	filter: string,
): string[] {
	const faults: string[] = [];
	const output = swapped.bytes.toString('latin1');
	const outs = outputPattern(input, places).exec(output)?.slice(1) ?? [];
	const { entries, summary } = swapped;
	for (const [nth, { at, text, or, isCode }] of places.entries()) {
		if (outs[nth] !== text || or !== 'told') continue;
		const line = lineAt(input, at);
		const isTold = isCode ? isCodeTold(swapped, filter, line) : isNumberTold(swapped, line, digitsOf(text).slice(-4));
		if (!isTold) faults.push(`nothing tells of ${text}, which stays on line ${line}`);
	}
	for (const text of expected.untold ?? []) {
		const line = lineAt(input, input.indexOf(text));
		if (isNumberTold(swapped, line, text.slice(-4)))
			faults.push(`the report tells of ${text}, which is no card number`);
		if (!output.includes(text)) faults.push(`${text} was replaced`);
	}
	for (const text of expected.kept ?? []) if (!output.includes(textOf(text))) faults.push(`${text} has changed`);
	const report = JSON.stringify([entries, summary, swapped.book.warnings]);
	for (const text of expected.noWarning ?? []) if (report.includes(text)) faults.push(`the report says: ${text}`);
	for (const { text, isCode } of places) {
		if (!isCode && report.includes(digitsOf(text))) faults.push('the report shows a number in clear');
	}
	if (summary.masked < (expected.masked ?? 0)) faults.push(`${summary.masked} numbers count as masked`);
	const { wrapped } = expected;
	if (wrapped !== undefined) {
		const { lines, lastFour } = wrapped;
		const isSaid = (notice: string) =>
			notice.includes('wrapped') &&
			(lines === undefined || lines.every((line) => new RegExp(`\\b${line}\\b`).test(notice)));
		const isTold = summary.notices.some(isSaid) || entries.some((entry) => entry.number?.endsWith(lastFour));
		if (!isTold) faults.push('nothing tells of the wrapped number');
	}
	return faults;
}

const comesOut = test.macro(async (t: ExecutionContext, path: string) => {
	const filter = basename(dirname(path));
	const read = (suffix: string) => JSON.parse(readFileSync(`${path}${suffix}`, 'utf8'));
	const expected: Expected = read('.expected.json');
	const options = existsSync(`${path}.options.json`) ? read('.options.json') : {};
	const bytes = readFileSync(path);
	const input = bytes.toString('latin1');
	const parts = await openVaultParts(t);
	const engine = parts.engine([formats.get(filter) as unknown as Format<never>]);
	// Account 2 keeps no CVVs, so they come back as stars.
	const request = { filter, accountId: 2, options };
	const places = placesOf(input, expected, options.otherNumbers === 'mask');
	for (const chunkSizes of [[65_536], [7]]) {
		let there: Swapped;
		try {
			there = await swap(parts, engine, { ...request, direction: 'tokenize', bytes, chunkSizes });
		} catch (error) {
			if (expected.mayBeRejected !== true || !(error instanceof FileError)) throw error;
			t.pass(error.message);
			continue;
		}
		t.regex(there.bytes.toString('latin1'), outputPattern(input, places), expected.why);
		t.deepEqual(faultsOfReport(input, places, there, expected, filter), [], expected.why);
		const back = await swap(parts, engine, {
			filter,
			accountId: 2,
			direction: 'detokenize',
			bytes: there.bytes,
			chunkSizes,
		});
		const keptStars = places.map((place) => {
			const isReplaced = place.isCode || options.otherNumbers === 'mask';
			return { ...place, pattern: isReplaced ? `(?:${place.pattern}|${literal(place.text)})` : literal(place.text) };
		});
		t.regex(back.bytes.toString('latin1'), outputPattern(input, keptStars), 'the way back');
		if (expected.twice !== true) continue;
		const again = await swap(parts, engine, { ...request, direction: 'tokenize', bytes: there.bytes, chunkSizes });
		t.deepEqual(again.bytes, there.bytes, 'tokenizing twice');
	}
});

for (const found of globSync('*/*.expected.json', { cwd: ROOT }).sort()) {
	const name = found.replace('.expected.json', '');
	test(`the case ${name} comes out as it must`, comesOut, `${ROOT}${name}`);
}
