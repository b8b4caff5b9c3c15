import test from 'ava';
import fc from 'fast-check';
import { NumberPlaces } from '../../src/base/card/finder/number-places.ts';
import { findOtherCodes, indexOfCutLabel } from '../../src/engine/others/other-codes.ts';
import { runs } from '../helpers/runs.ts';

/** Returns the security codes found, in the order of their places. */
function codesIn(text: string): string[] {
	const bytes = Buffer.from(text);
	const places = new NumberPlaces();
	findOtherCodes(bytes, 0, bytes.length, places);
	places.sortFrom(0);
	return Array.from({ length: places.count }, (_, i) => bytes.toString('utf8', places.starts[i], places.ends[i]));
}

const codes = test.macro({
	exec(t, text: string, expected: readonly string[]) {
		t.deepEqual(codesIn(text), expected);
	},
	title: (_, text, expected: readonly string[]) => `${expected.length} security codes in ${JSON.stringify(text)}`,
});

test(codes, 'CVV 123, cvc2: 1234; Cvn=999 CVD-321.', ['123', '1234', '999', '321']);
test(codes, `'cvv' => '123', "cvv" => 456, :cvv => "789" ""cvc"" => ""321""`, ['123', '456', '789', '321']);
test(codes, 'EXP1229CVV123', ['123']);
test(codes, '12/29CVC2 1234 4111111111111111CVV999', ['1234', '999']);
test(codes, 'CVV2 NR 123', ['123']);
test(codes, 'CVC NO. 1234, cvv code: 321, CVV number is 99, cvvNumber=987, Cvv is 654', ['1234', '321', '987', '654']);
test(codes, '<CVV><Value>123</Value></CVV> <cvv>&lt;Cvc&gt;1234', ['123', '1234']);
test(codes, '<CVV/><Value>123</Value> <CVV>***</CVV><Value>123</Value> <CVV>none</CVV><Number>123', []);
test(codes, '{\\"cvv\\": \\"123\\", \\"cvc\\" : 4567}', ['123', '4567']);
test(codes, '{\\\\\\"cvv\\\\\\": \\\\\\"123\\\\\\"}', ['123']);
test(codes, 'CVV 12 CVV 12345 CVV 123A CVV\n123 CVV', []);
test(codes, 'XCVV 123 K7CVV123 CV 123 ACVC1234', []);
test(codes, 'CVV ROOM 123 CVVX 123 CVC ROOM NO 123 CVV      123 CVV NOTES 123', []);

test('a code behind a label is held back at every cut before its end, so that it is found however a file is cut', (t) => {
	const label = fc.constantFrom(
		'CVV',
		'cvc2',
		'Cvn',
		'\\"cvv\\"',
		'CVV2 NR',
		'cvd code',
		'\\\\\\"cvv\\\\\\"',
		'1229CVV',
		'CCV',
		'<CVV',
	);
	const gap = fc.constantFrom(
		' ',
		': ',
		':',
		' - ',
		'=',
		':\\"',
		': \\\\\\"',
		'&quot;&gt; ',
		'</Name>\r\n<n:Value t="x"> ',
	);
	const code = fc.constantFrom('123', '4567');
	fc.assert(
		fc.property(label, gap, code, (...parts) => {
			const text = parts.join('');
			t.deepEqual(codesIn(`x ${text} y`), [parts[2]]);
			const bytes = Buffer.from(`x ${text}`);
			const first = /cv/i.exec(text)!.index + 2;
			for (let end = first + 2; end <= bytes.length; end++) {
				const at = indexOfCutLabel(bytes, 0, end);
				t.true(at !== -1 && at <= first, `${text} up to ${end}`);
			}
		}),
		{ numRuns: runs(500) },
	);
});
