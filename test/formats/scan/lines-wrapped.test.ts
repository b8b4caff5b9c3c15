import test from 'ava';
import { air } from '../../../formats/air/air.ts';
import { iur } from '../../../formats/iur/iur.ts';
import { Findings, type Format } from '../../../src/engine/format.ts';

const AIR_HEAD = ['AIR-BLK207;7A;;233;0000000000;1A1200000;001001', 'AMD 1', 'GW1', 'MUC1A 1'];
const IUR_HEAD = ['AA20NOV0915M0117', 'M801X', 'TEXT', 'TEXT'];

function noticesOf<Options>(format: Format<Options>, lines: readonly string[]): string[] {
	const isAir = format.filter === 'AIR';
	const text = [...(isAir ? AIR_HEAD : IUR_HEAD), ...lines, ...(isAir ? ['ENDX'] : []), ''].join('\r\n');
	const found = new Findings();
	format.scanner(format.options.parse({}), 'tokenize').scan(Buffer.from(text), 0, text.length, true, found);
	return [...found.notices];
}

const NOTICE = 'A card number seems to be wrapped from line 5 onto line 6: it was left as it is';

const told = test.macro({
	exec(t, format: Format<never>, ...lines: string[]) {
		t.deepEqual(noticesOf(format, lines), [NOTICE]);
	},
	title: (_, format: Format<never>, ...lines: string[]) => `told in ${format.filter}: ${lines.join(' | ')}`,
});
const silent = test.macro({
	exec(t, format: Format<never>, ...lines: string[]) {
		t.deepEqual(noticesOf(format, lines), []);
	},
	title: (_, format: Format<never>, ...lines: string[]) => `not told in ${format.filter}: ${lines.join(' | ')}`,
});

const AIR = air as unknown as Format<never>;
const IUR = iur as unknown as Format<never>;
test(told, AIR, 'FPCCVI41111111', '11111111/1229');
test(told, AIR, 'RM CARD 4111 1111', 'RM 1111 1111');
test(told, AIR, 'RM CARD 12 4111 1111', 'RM 1111 1111 1229');
test(told, AIR, 'RM AX378282246310', '005');
test(told, IUR, 'M803VI41111111', '11111111/1229');
test(silent, AIR, 'RM CARD 4111 1111', 'RC 1111 1111');
test(silent, AIR, 'RM CARD 4111 1111', 'RM 1111 1112');
test(silent, AIR, 'RM CARD 4111 1111', '', 'RM 1111 1111');
test(silent, AIR, 'RM CARD 4111 1111X', 'RM 1111 1111');
test(silent, AIR, 'RM CARD 4111 1111', 'RM X 1111 1111');
test(silent, AIR, 'RM 4111111111111111', 'RM 4111111111111111');
test(silent, AIR, 'RM CARD 4111111111111111', 'RM 00');
test(silent, AIR, 'RM 12345678901234567890', 'RM 1111');

test('at most twenty places are named, and one notice stands for the others', (t) => {
	const lines = Array.from({ length: 60 }, (_, i) => ['RM CARD 4111 1111', 'RM 1111 1111', `RM X${i}X`]).flat();
	t.is(noticesOf(AIR, lines).length, 21);
	t.regex(noticesOf(AIR, lines)[20], /^More card numbers/);
});
