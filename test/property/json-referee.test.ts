import test from 'ava';
import fc from 'fast-check';
import { parser } from 'stream-json';
import { cardNameCode } from '../../formats/scan/card-names.ts';
import { simplejson } from '../../formats/simplejson.ts';
import { foldFieldName } from '../../src/base/card/names/field-names.ts';
import { FileError } from '../../src/engine/format.ts';
import { type ScannedFinding, scanAll } from '../helpers/scan.ts';

const NUMBERS = ['4111111111111111', '378282246310005', '4111 1111 1111 1111', '', '411111XXXXXX1111', 'ünı\\"\n'];

/** Generates any JSON value in which card keys appear at any depth, with values of any kind. */
const { value: anyValue } = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
	value: fc.oneof(
		{ maxDepth: 5, depthSize: 'small' },
		fc.constantFrom(null, true, false, 0, -1.5e-7, 4111111111111111, ...NUMBERS),
		fc.string(),
		fc.array(tie('value'), { maxLength: 4 }),
		tie('object'),
		tie('object'),
	),
	object: fc.dictionary(
		fc.oneof(
			fc.constantFrom('cardNumber', 'card_number', 'pan', 'number', 'card', 'expirationDate', 'cardType', 'a'),
			fc.string({ maxLength: 5 }).filter((name) => cardNameCode(name) === 0),
		),
		tie('value'),
		{ maxKeys: 6 },
	),
}));

const sizes = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 5 });
const spacing = fc.constantFrom(undefined, 1, '\t', '\r\n ');

const textOfScalar = (value: unknown) =>
	typeof value === 'number' || typeof value === 'string' ? String(value).trim() : '';
const isScalar = (value: unknown) => value === null || typeof value !== 'object';
/** Tells whether a text is as long as a card number; in `NUMBERS` all such texts are card numbers to any reader. */
const isLong = (text: string) => /^[\d -]{12,}$/.test(text);
const isMasked = (text: string) => /^\d*X{6,}\d*$/.test(text);
/** A masked number keeps `number` from being read as the card, so that a second pass finds nothing new. */
const MASKED = { card: '411111XXXXXX1111', cardNumber: '', number: '378282246310005' };

/** Returns the card numbers of a parsed value in the order of the text, by the rules of docs/formats/simplejson.md. */
function numbersOf(value: unknown, isCard = false, isDate = false): string[] {
	if (Array.isArray(value)) return value.flatMap((element) => numbersOf(element, isCard, isDate));
	if (typeof value !== 'object' || value === null) return [];
	const entries = Object.entries(value).map(([key, inner]) => ({ name: foldFieldName(key), inner }));
	const has = (...names: string[]) => entries.some(({ name }) => names.includes(name));
	const isOwn = ({ name, inner }: { name: string; inner: unknown }) =>
		isScalar(inner) &&
		textOfScalar(inner) !== '' &&
		(SURE.includes(name) || (name === 'card' && (isLong(textOfScalar(inner)) || isMasked(textOfScalar(inner)))));
	const takesWords = !entries.some(isOwn) && (has('cardtype', ...SURE) || (has('expirationdate') && !isDate));
	return entries.flatMap(({ name, inner }) => {
		const text = textOfScalar(inner);
		if (SURE.includes(name)) return elementsOf(inner, () => true);
		if (name === 'card') return elementsOf(inner, isLong);
		// An expiry inside the objects of an expiry belongs to the card around them.
		if (name !== 'number') return numbersOf(inner, false, name === 'expirationdate');
		if (!isScalar(inner)) return Array.isArray(inner) ? elementsOf(inner, isLong, false) : numbersOf(inner);
		return text !== '' && (isCard || (takesWords && isLong(text))) ? [text] : [];
	});
}

const SURE = ['cardnumber', 'pan'];

/** Returns the card numbers of a value under a name for numbers, or of a list of such values; objects in it are cards. */
function elementsOf(value: unknown, isTaken: (text: string) => boolean, isCard = true): string[] {
	if (Array.isArray(value)) return value.flatMap((element) => elementsOf(element, isTaken, isCard));
	if (!isScalar(value)) return numbersOf(value, isCard);
	const text = textOfScalar(value);
	return text !== '' && isTaken(text) ? [text] : [];
}

/** Returns a value as JSON text, with some characters of its strings as escapes if `escapes` is true. */
function write(value: unknown, space: string | number | undefined, escapes: boolean): Buffer {
	const text = JSON.stringify(value, null, space);
	return Buffer.from(escapes ? text.replace(/[4n](?=[^"]*")/g, escaped) : text);
}

function escaped(character: string, at: number, text: string): string {
	const before = text.slice(0, at).match(/(?<!\\)(?:\\\\)*"/g) ?? [];
	const isInString = before.length % 2 === 1 && text[at - 1] !== '\\';
	const isInEscape = /\\u[0-9a-f]{0,3}$/.test(text.slice(0, at));
	return isInString && !isInEscape ? `\\u00${character.charCodeAt(0).toString(16)}` : character;
}

function textOf({ number, isEscaped }: ScannedFinding, bytes: Buffer): string {
	const end = number.offset + number.length;
	const span = isEscaped ? simplejson.decode!(bytes, number.offset, end) : bytes.subarray(number.offset, end);
	return span.toString();
}

test('the scanner finds the numbers that JSON.parse finds, however the text is written and cut', (t) => {
	fc.assert(
		fc.property(anyValue, spacing, fc.boolean(), sizes, (value, space, escapes, windowSizes) => {
			const bytes = write(value, space, escapes);
			const expected = numbersOf(JSON.parse(bytes.toString()));
			const findings = scanAll(simplejson, {}, bytes);
			t.deepEqual(
				findings.map((finding) => textOf(finding, bytes)),
				expected,
				bytes.toString(),
			);
			t.deepEqual(scanAll(simplejson, {}, bytes, { windowSizes, endsLate: true }), findings);
			t.deepEqual(scanAll(simplejson, {}, bytes, { windowSizes: [1] }), findings);
		}),
		{ numRuns: 200, examples: [[MASKED, undefined, true, [200]]] },
	);
});

/** Returns the findings of a file, or its error with the place. */
function outcome(bytes: Buffer, windowSizes?: number[]): unknown {
	try {
		return scanAll(simplejson, {}, bytes, { windowSizes, endsLate: windowSizes !== undefined });
	} catch (error) {
		if (!(error instanceof FileError)) throw error;
		return { message: error.message, ...error.at };
	}
}

const isParsed = (text: string) => {
	try {
		JSON.parse(text);
		return true;
	} catch {
		return false;
	}
};

/** Tells whether stream-json accepts a text; unlike JSON.parse, it also reads values that follow each other. */
async function isAcceptedAsStream(text: string): Promise<boolean> {
	const reader = parser.asStream({ jsonStreaming: true });
	reader.resume();
	return new Promise((resolve) => {
		reader.on('error', () => resolve(false));
		reader.on('end', () => resolve(true));
		reader.end(text);
	});
}

const MUTATIONS = [
	'',
	'"',
	'\\',
	'{',
	'}',
	'[',
	']',
	',',
	':',
	'0',
	'1',
	'-',
	'.',
	'e',
	'n',
	' ',
	'\n',
	'\t',
	'\u0001',
];

test('a damaged text is refused when every referee refuses it, at the same place in any windows', async (t) => {
	const damaged = fc
		.tuple(anyValue, spacing, fc.nat(), fc.nat(3), fc.constantFrom(...MUTATIONS))
		.map(([value, space, place, cut, put]) => {
			const text = JSON.stringify(value, null, space);
			const at = place % (text.length + 1);
			return text.slice(0, at) + put + text.slice(at + cut);
		});
	await fc.assert(
		fc.asyncProperty(damaged, sizes, async (text, windowSizes) => {
			const bytes = Buffer.from(text);
			const result = outcome(bytes);
			t.deepEqual(outcome(bytes, windowSizes), result);
			t.deepEqual(outcome(bytes, [1]), result);
			if (isParsed(text)) t.true(Array.isArray(result), text);
			else if (Array.isArray(result) && text.trim() !== '') t.true(await isAcceptedAsStream(text), text);
		}),
		{ numRuns: 400 },
	);
});
