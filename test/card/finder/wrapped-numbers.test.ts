// Numbers on several lines are told in every format, and only where nothing else can be meant.

import { createSecretKey } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import { formats } from '../../../formats/index.ts';
import { Findings, type Format } from '../../../src/engine/format.ts';
import { OtherFindings } from '../../../src/engine/others/other-findings.ts';
import { TokenCipher } from '../../../src/vault/tokens/token.ts';
import { openVaultParts, swap } from '../../helpers/vault-parts.ts';

const IUR_HEAD = ['AA29DEC0400M0117', '', '', 'M101MUSTER/ERIKA MRS', '0102', '01', '', '', '0102', '01'];

async function noticesOf(t: ExecutionContext, filter: string, text: string): Promise<string[]> {
	const parts = await openVaultParts(t);
	const engine = parts.engine([formats.get(filter) as unknown as Format<never>]);
	const told: string[][] = [];
	for (const chunkSizes of [[65_536], [1], [7], [64, 3]]) {
		const request = { filter, accountId: 2, direction: 'tokenize', bytes: Buffer.from(text), chunkSizes } as const;
		const { summary, bytes } = await swap(parts, engine, { ...request, options: { expectCards: false } });
		t.is(bytes.toString(), text);
		told.push(summary.notices.filter((notice) => notice.includes('wrapped')));
	}
	for (const notices of told) t.deepEqual(notices, told[0], 'however the file is cut');
	return told[0];
}

const onLines = (from: number, to: number) =>
	`A card number seems to be wrapped from line ${from} onto line ${to}: it was left as it is`;
const inLine = (line: number) =>
	`A card number seems to be wrapped by the line breaks written in line ${line}: it was left as it is`;

const tells = test.macro({
	async exec(t, filter: string, text: string, ...notices: string[]) {
		t.deepEqual(await noticesOf(t, filter, text), notices);
	},
	title: (_: string | undefined, filter: string, text: string, ..._notices: string[]) =>
		`${filter}, wrapped: ${JSON.stringify(text.slice(-90))}`,
});

const iur = (...lines: string[]) => [...IUR_HEAD, ...lines, ''].join('\n');
test(tells, 'IUR', iur('M901CARD NO 4111 1111', 'M902 1111 1111 EXP 12/29'), onLines(11, 12));
test(tells, 'IUR', iur('M801VISA 41111111  ', 'M80211111111'), onLines(11, 12));
test(tells, 'IUR', iur('M8014111 1111', 'M8021111 1111'), onLines(11, 12));
test(tells, 'IUR', iur('M901CARD', 'M9024111', 'M9031111', 'M9041111', 'M9051111', 'M906X'), onLines(12, 15));
test(tells, 'IUR', iur('M901CARD NO 4111 1111', 'M902 1111 1112'));
test(tells, 'IUR', iur('M901CARD NO 4111 1111', 'M902X 1111 1111'));

const xml = (inner: string) => `<T><PaymentCard><CardNumber/></PaymentCard>${inner}</T>`;
test(tells, 'TADC', xml('<Remark>card 4111 1111\n     1111 1111</Remark>'), onLines(1, 2));
test(tells, 'TADC', xml('\r\n<R>x\r\n4111 1111\r\n1111 1111\r\n</R>'), onLines(3, 4));
test(tells, 'TADC', xml('<R><![CDATA[card 41111111\n11111111 12/29]]></R>'), onLines(1, 2));
test(tells, 'TADC', xml('<!-- 4111\n1111\n1111\n1111 -->'), onLines(1, 4));
test(tells, 'TADC', xml('<R note="4111 1111&#10;1111 1111"/>'), inLine(1));
test(tells, 'TADC', xml('<R>4111 1111</R>\n<R>1111 1111</R>'));
test(tells, 'TADC', xml('<R>4111 1111\nx1111 1111</R>'));
test(tells, 'TADC', xml('<R>4111 1111\n1111 1112</R>'));

const json = (note: string) => `{"cardNumber":null,\n"note":"${note}"}`;
test(tells, 'SIMPLEJSON', json('card 4111 1111\\n1111 1111 12/29'), inLine(2));
test(tells, 'SIMPLEJSON', json('card 4111 1111\\r\\n  1111 1111'), inLine(2));
test(tells, 'SIMPLEJSON', json('4111111\\u000a111111111'), inLine(2));
test(tells, 'SIMPLEJSON', json('411111\\n111111\\n1111'), inLine(2));
test(tells, 'SIMPLEJSON', json('4111 1111","more":"1111 1111'));
test(tells, 'SIMPLEJSON', json('4111 1111\\n1111 1112'));

test('the lines of a text are counted in a time that grows with the text alone', (t) => {
	const format = formats.get('TADC') as unknown as Format<never>;
	const key = {
		id: 0 as never,
		purpose: 'token',
		accountId: 0,
		generation: 1,
		createdAt: 0,
		secret: createSecretKey(Buffer.alloc(32)),
	} as const;
	const tokens = new TokenCipher([key]);
	const timeOf = (size: number) => {
		const bytes = Buffer.from(xml(`<R>${'41111111\n'.repeat(size / 9)}</R>`));
		let best = Number.POSITIVE_INFINITY;
		for (let run = 0; run < 5; run++) {
			const scanner = format.scanner(format.options.parse({}) as never, 'tokenize');
			const others = new OtherFindings(format, scanner, 'tokenize', tokens);
			const findings = new Findings();
			const settled = scanner.scan(bytes, 0, bytes.length, true, findings);
			// The time of the processor, because a busy machine stretches every other.
			const before = process.threadCpuUsage().user;
			others.add(bytes, findings, { from: 0, scanFrom: 0, settled }, true);
			best = Math.min(best, process.threadCpuUsage().user - before);
		}
		return best;
	};
	// With a time that grows with the square, the text that is 8 times as long would take 64 times as long.
	t.true(timeOf(1_048_576) < 30 * timeOf(131_072));
});
