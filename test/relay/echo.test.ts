import test from 'ava';
import fc from 'fast-check';
import { maskEchoes, maskEchoesIn } from '../../src/relay/echo.ts';

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

test('shapes §4: a long answer full of beginnings is looked through in reasonable time', (t) => {
	const body = Buffer.alloc(4_000_000, '4111');
	const before = process.cpuUsage();
	maskEchoes(body, [VISA, AMEX]);
	const { user } = process.cpuUsage(before);
	t.true(user < 1_000_000, `${user} µs`);
});
