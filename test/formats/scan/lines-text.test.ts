// Checks the text right behind the name of a line: cards and security codes at its very start are swapped or reported.

import test from 'ava';
import { formats } from '../../../formats/index.ts';
import type { Format } from '../../../src/engine/format.ts';
import { openVaultParts, swap } from '../../helpers/vault-parts.ts';

const all = [...formats.values()] as unknown as Format<never>[];
const AIR_HEAD = 'AIR-BLK207;7A;;233;0000000000;1A1200000;001001\nAMD 1\nGW1\nMUC1A 1\n';

function fileOf(filter: string, ...lines: string[]): Buffer {
	const text = lines.join('\n');
	return Buffer.from(filter === 'AIR' ? `${AIR_HEAD}${text}\nENDX\n` : `AA20NOV0915M0117\nM901X\n${text}\n`, 'latin1');
}

type Test = Parameters<typeof openVaultParts>[0];

async function tokenize(t: Test, filter: string, bytes: Buffer, options?: object, chunkSizes?: readonly number[]) {
	const parts = await openVaultParts(t);
	const engine = parts.engine(all);
	const request = { filter, options, bytes, chunkSizes } as const;
	const there = await swap(parts, engine, { ...request, direction: 'tokenize' });
	const back = await swap(parts, engine, { filter, direction: 'detokenize', bytes: there.bytes });
	return { there, back };
}

const told = test.macro({
	async exec(t, line: string, otherNumbers: number, otherCodes: number) {
		const filter = line.startsWith('M') ? 'IUR' : 'AIR';
		const { there } = await tokenize(t, filter, fileOf(filter, line));
		t.like(there.summary, { otherNumbers, otherCodes, cards: 0 });
	},
	title: (_, line) => `told: ${line}`,
});
for (const name of ['M6', 'M7', 'M8', 'M9', 'ME', 'MX', 'MA', 'MB', 'MH'])
	test(told, `${name}014111111111111111`, 1, 0);
test(told, 'M901378282246310005/1229', 1, 0);
test(told, 'M8014111 1111 1111 1111', 1, 0);
test(told, 'M8015555 5555 5555 4444 CVV 123', 1, 1);
test(told, 'M802CVV 123', 0, 1);
test(told, 'RMCVV 123', 0, 1);
test(told, 'RIFCVV 123', 0, 1);
test(told, 'M801123456789012', 0, 0);
test(told, 'M801BCVV 123', 0, 0);
test(told, 'RMACVV 123', 0, 0);
test(told, 'M6011000990139424', 1, 0);

const starred = test.macro({
	async exec(t, filter: string, line: string, expected: RegExp) {
		const bytes = fileOf(filter, line);
		const { there, back } = await tokenize(t, filter, bytes);
		t.regex(there.bytes.toString('latin1'), expected);
		t.like(there.summary, { cards: 1, otherCodes: 0 });
		t.deepEqual(back.bytes, bytes);
	},
	title: (_, __, line) => `the CVV is starred: ${line}`,
});
test(starred, 'IUR', 'M801CVV123 VI4111111111111111/1229', /M801CVV\*{3} VI[0-9A-F]{32}\/1229/);
test(starred, 'IUR', 'M703SECURITY CODE 123 VI4111111111111111/1229', /M703SECURITY CODE \*{3} VI[0-9A-F]{32}/);
test(starred, 'AIR', 'RIUCVV123 CCVI4111111111111111/1229', /RIUCVV\*{3} CCVI[0-9A-F]{32}/);
test(starred, 'AIR', 'RMSECURITY CODE 123 VI4111111111111111/1229', /RMSECURITY CODE \*{3} VI[0-9A-F]{32}/);

test('a number at the start of a remark is told and comes back however the file is cut', async (t) => {
	const options = { otherNumbers: 'tokenize' };
	const bytes = fileOf('IUR', ...Array.from({ length: 400 }, () => 'M8014111111111111111'), 'M802CVV 123');
	for (const size of [65_536, 4096, 1001, 37]) {
		const { there, back } = await tokenize(t, 'IUR', bytes, options, [size]);
		t.like(there.summary, { otherNumbers: 400, otherCodes: 1 });
		t.regex(there.bytes.toString('latin1'), /^M801[0-9A-F]{32}$/m);
		t.is(back.bytes.toString('latin1'), bytes.toString('latin1').replace('CVV 123', 'CVV ***'));
	}
});
