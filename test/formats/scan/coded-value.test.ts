import test from 'ava';
import fc from 'fast-check';
import { CodedValue } from '../../../formats/scan/coded-value.ts';
import { EXPIRY_ABSENT } from '../../../src/card/expiry.ts';
import { runs } from '../../helpers/runs.ts';

const TOKEN = /^[0-9A-Fa-f]{32}$/;

/** Returns the code, the number and the expiry that are read in a value, or undefined if it is read as a whole. */
function parts(text: string): readonly [code: string, number: string, expiry: number] | undefined {
	const value = new CodedValue();
	const bytes = Buffer.from(text);
	if (!value.read(bytes, 0, bytes.length)) return undefined;
	const { codeStart, codeEnd, numberStart, numberEnd } = value;
	return [text.slice(codeStart, codeEnd), text.slice(numberStart, numberEnd), value.expiry(bytes)];
}

const piece = {
	before: fc.constantFrom('', 'VI', 'CC', 'CCVI', 'CA', 'DC ', 'CC-AX', 'CC/CA', 'AX-', 'vi', 'XX', 'CCC'),
	number: fc.constantFrom(
		...['4111111111111111', '5555555555554444', '378282246310005', '30569309025904', '5555 5555 5555 4444'],
		...['4111111111111112', '411111', '411111******1111', 'CA5D1229E0B47F1A9C0DE5F6AB01E2D7'],
	),
	behind: fc.constantFrom(
		'',
		'/1229',
		'*D1229',
		'D1229',
		'/12/29',
		' EXP 12/29',
		'EXP1229',
		'/13',
		'/1229/N1',
		'1229',
		' ',
	),
};

test('where a number is read beside a code or an expiry, a token in its place is read in the same way', (t) => {
	let read = 0;
	fc.assert(
		fc.property(fc.record(piece), fc.stringMatching(/^[0-9a-f]{32}$/), fc.boolean(), (text, token, isUpper) => {
			const found = parts(text.before + text.number + text.behind);
			if (found === undefined) return t.pass();
			read++;
			const [code, number, expiry] = found;
			const swapped = isUpper ? token.toUpperCase() : token;
			t.is(number, text.number);
			t.true(TOKEN.test(number) || /^[0-9 ]{14,19}$/.test(number), number);
			t.deepEqual(parts(text.before + swapped + text.behind), [code, swapped, expiry]);
		}),
		{ numRuns: runs(4000) },
	);
	t.true(read > 0);
});

test('a value that is a number alone, or that holds anything else, is read as a whole', (t) => {
	const wholes = ['', 'VI', '4111111111111111', '4111 1111 1111 1111', 'AX4111111111111111', 'VI4111111111111112'];
	const others = [
		'VI4111111111111111 X',
		'4111111111111111/N123',
		'4111111111111112/1229',
		'CASH',
		'VIXXXXXXXXXXXX1111',
	];
	for (const text of [...wholes, ...others, 'CA5D1229E0B47F1A9C0DE5F6AB01E2D7']) t.is(parts(text), undefined, text);
	t.deepEqual(parts('VI4111111111111111'), ['VI', '4111111111111111', EXPIRY_ABSENT]);
});
