import test from 'ava';
import fc from 'fast-check';
import { bodyWithoutEchoes, maskEchoes, maskEchoesIn } from '../../src/work/relay/echo.ts';

const VISA = '4111111111111111';
const AMEX = '378282246310005';

const masks = test.macro({
	exec(t, text: string, expected: string, count: number) {
		const body = Buffer.from(text);
		t.is(maskEchoes(body, [VISA, AMEX]), count);
		t.is(body.toString(), expected);
		t.is(maskEchoesIn(text, [VISA, AMEX]), expected);
	},
	title: (name) => `shapes §4: an echo ${name}`,
});

test('alone', masks, VISA, '411111******1111', 1);
test('within text', masks, `card "${VISA}", ok`, 'card "411111******1111", ok', 1);
test('in groups of four', masks, '4111 1111 1111 1111', '4111 11** **** 1111', 1);
test('with hyphens', masks, '4111-1111-1111-1111', '4111-11**-****-1111', 1);
test('in an address', masks, '?n=4111+1111+1111+1111', '?n=4111+11**+****+1111', 1);
test('in groups of its brand', masks, '3782 822463 10005', '3782 82**** *0005', 1);
test('more than once', masks, `${VISA}${VISA} ${AMEX}`, '411111******1111411111******1111 378282*****0005', 3);
test('after digits that begin like it', masks, `44${VISA}4111`, '44411111******11114111', 1);
test('at the very end of something cut', masks, VISA.slice(0, 15), VISA.slice(0, 15), 0);
test('of another number', masks, '4111111111111129', '4111111111111129', 0);
test('masked already', masks, '411111******1111', '411111******1111', 0);
test('in two halves', masks, '41111111  11111111', '41111111  11111111', 0);
test('in nothing', masks, '', '', 0);

test('shapes §4: no text of any kind keeps a number, and nothing but its digits changes', (t) => {
	const separator = fc.constantFrom('', '', ' ', '-', '.', '+');
	const spelled = fc
		.array(separator, { minLength: 15, maxLength: 15 })
		.map((gaps) => [...VISA].map((digit, nth) => digit + (gaps[nth] ?? '')).join(''));
	const noise = fc.string({ unit: fc.constantFrom('4', '1', ' ', '-', 'x', '"') });
	fc.assert(
		fc.property(noise, spelled, noise, (before, number, after) => {
			const text = before + number + after;
			const body = Buffer.from(text);
			const found = maskEchoes(body, [VISA]);
			const masked = body.toString();
			const isKept = /4[ .+-]?(?:1[ .+-]?){15}/.test(masked);
			const isSame = [...masked].every((char, at) => char === text[at] || (char === '*' && /\d/.test(text[at])));
			return found > 0 && !isKept && isSame && masked.length === text.length;
		}),
	);
	t.pass();
});

test('shapes §4: of several numbers that overlap or begin alike, none stays', (t) => {
	const digits = (minLength: number, maxLength: number) =>
		fc.string({ unit: fc.constantFrom('4', '1'), minLength, maxLength });
	const number = digits(12, 19);
	const piece = fc.oneof(
		digits(0, 8),
		fc.constantFrom(' ', '-', 'x', '  '),
		number.map((each) => [...each].join(' ')),
	);
	const isSpelled = (text: string, each: string) => new RegExp([...each].join('[ \\-.\\t+]?')).test(text);
	fc.assert(
		fc.property(fc.array(number, { minLength: 1, maxLength: 4 }), fc.array(piece), fc.nat(), (numbers, pieces, cut) => {
			// Numbers that follow each other share the digits at which one is cut off.
			const overlapping = numbers.map((each) => each.slice(0, each.length - (cut % 5))).join('') + numbers[0];
			const text = [...pieces, overlapping, ...pieces].join('');
			const body = Buffer.from(text);
			const isThere = numbers.some((each) => isSpelled(text, each));
			const found = maskEchoes(body, numbers);
			const masked = body.toString();
			return found > 0 === isThere && !numbers.some((each) => isSpelled(masked, each));
		}),
	);
	t.pass();
});

test('shapes §4: a long answer full of beginnings is looked through in reasonable time, however many numbers it may repeat', (t) => {
	const body = Buffer.alloc(4_000_000, '4111');
	const thousand = Array.from({ length: 1_000 }, (_, nth) => `411141114111${String(nth).padStart(4, '2')}`);
	const before = process.cpuUsage();
	maskEchoes(body, [VISA, AMEX, ...thousand]);
	const { user } = process.cpuUsage(before);
	t.true(user < 1_000_000, `${user} µs`);
});

const MASKED = '411111******1111';
const quoted: Record<string, [text: string, expected: string]> = {
	'a number': [`{"n":${VISA},"m":"${VISA}"}`, `{"n":"${MASKED}","m":"${MASKED}"}`],
	'a fraction, in a list': [`[ ${VISA}.00 , -${VISA}e1]`, `[ "${MASKED}.00" , "-${MASKED}e1"]`],
	'strings with escapes and stars': [
		`{"a\\"":"\\\\","b":"x \\"${VISA}, 1*","c":${VISA}}`,
		`{"a\\"":"\\\\","b":"x \\"${MASKED}, 1*","c":"${MASKED}"}`,
	],
	'the whole body': [VISA, `"${MASKED}"`],
	'lines of values': [`{"n":${VISA}}\n{"n":${VISA}}\n`, `{"n":"${MASKED}"}\n{"n":"${MASKED}"}\n`],
	'no echo': ['{"n":1,"s":"**"}', '{"n":1,"s":"**"}'],
};
for (const [name, [text, expected]] of Object.entries(quoted)) {
	test(`shapes §4: an echo without quotes gets them, so that JSON stays JSON: ${name}`, (t) => {
		const masked = (contentType?: string) => bodyWithoutEchoes(Buffer.from(text), [VISA], contentType).toString();
		for (const type of ['application/json', 'text/json; charset=utf-8', 'application/hal+JSON'])
			t.is(masked(type), expected);
		t.is(masked('text/plain'), text.replaceAll(VISA, MASKED));
		t.is(masked(), text.replaceAll(VISA, MASKED));
	});
}

test('shapes §4: any JSON that repeats a number can be read as what it was', (t) => {
	const leaf = fc.constantFrom<unknown>(Number(VISA), VISA, `"${VISA}\\`, 1.5e-9, '*', null, [], {});
	fc.assert(
		fc.property(
			fc.letrec((tie) => ({
				value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie('value')), fc.dictionary(fc.string(), tie('value'))),
			})).value,
			(value) => {
				const read = JSON.parse(
					bodyWithoutEchoes(Buffer.from(JSON.stringify(value)), [VISA], 'application/json').toString(),
				);
				t.deepEqual(
					read,
					JSON.parse(
						JSON.stringify(value)
							.replaceAll(new RegExp(`([:,[]|^)${VISA}`, 'g'), `$1"${VISA}"`)
							.replaceAll(VISA, MASKED),
					),
				);
			},
		),
	);
});
