import test from 'ava';
import { air } from '../../../formats/air/air.ts';
import { iur } from '../../../formats/iur/iur.ts';
import { Findings, type Format } from '../../../src/engine/format.ts';

const AIR_HEAD = 'AIR-BLK207;7A;;233;0000000000;1A1200000;001001\nAMD 1\nGW1\nMUC1A 1\n';
const IUR_HEAD = 'AA20NOV0915M0117\nM801X\n';
const V = '4111111111111111';

function noticesOf<Options>(format: Format<Options>, text: string): string[] {
	const bytes = Buffer.from(format.filter === 'AIR' ? `${AIR_HEAD}${text}\nENDX\n` : `${IUR_HEAD}${text}\n`);
	const found = new Findings();
	format.scanner(format.options.parse({}), 'tokenize').scan(bytes, 0, bytes.length, true, found);
	return [...found.notices];
}

/** Returns the lines of the notices about codes below a number. */
function linesOf<Options>(format: Format<Options>, text: string): number[] {
	return noticesOf(format, text)
		.flatMap((notice) => /^Digits on line (\d+) may be the security code/.exec(notice)?.[1] ?? [])
		.map(Number);
}

test('a code on a line of its own below a card number and its expiry is told', (t) => {
	for (const [text, line] of [
		[`RM VI${V} EXP 12/29\nRM 123`, 6],
		[`RM ${V}\nRM EXP 12/29\nRM 123`, 7],
		[`RM ${V}\nRM EXP 12/29 123`, 6],
		[`RM 4111 1111 1111 1111 1229\r\nRM CODE 123`, 6],
		[`RM*VI${V}*EXP1229\nRM*SECURITY CODE: 123`, 6],
		['OSI 378282246310005 12/29\nOSI 4321', 6],
		[`RM ${V}\nRM 12/29\nRM\nRM 123`, 8],
	] as const)
		t.deepEqual(linesOf(air, text), [line], text);
	t.deepEqual(linesOf(iur, `M801${V} 12/29\nM802123`), [4]);
	t.deepEqual(linesOf(iur, `M801VI${V}EXP 12/29\nM802CODE 123`), [4]);
});

test('digits on the line below a number that are no code are not told', (t) => {
	for (const text of [
		`RM ${V}\nRM 123`,
		`RM ${V} 12/29\nRI 123`,
		`RM ${V} 12/29\nRM ROOM 123`,
		`RM ${V} 12/29\nRM 123 ROOMS`,
		`RM ${V} 12/29\nRM 4321`,
		`RM ${V} 12/29\nRM CVV 123`,
		`RM ${V} 12/29\nRM PAID\nRM 123`,
		`RM 4111111111111112 12/29\nRM 123`,
		`RM ${V} 12/29 A123456\nRM 123`,
	])
		t.deepEqual(linesOf(air, text), [], text);
});

test('at most twenty lines are named, and one notice says that there are more', (t) => {
	const text = (count: number) => `RM ${V} 12/29\nRM 123\n`.repeat(count);
	t.is(linesOf(air, text(30)).length, 20);
	const more = (count: number) =>
		noticesOf(air, text(count)).filter((notice) => notice.startsWith('There are more lines'));
	t.deepEqual([more(20).length, more(21).length, more(30).length], [0, 1, 1]);
});
