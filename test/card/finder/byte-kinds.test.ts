import test from 'ava';
import fc from 'fast-check';
import { BITS, KIND, KIND_COUNT, MOST_BYTES, nextBit, readKinds } from '../../../src/base/card/finder/byte-kinds.ts';
import { GAP_BYTES } from '../../../src/base/card/finder/divided-groups.ts';

const HAS: Record<keyof typeof KIND, (byte: number) => boolean> = {
	DIGIT: (byte) => byte >= 0x30 && byte <= 0x39,
	HIGH: (byte) => byte >= 0x80,
	SEPARATOR: (byte) => ' -.'.includes(String.fromCharCode(byte)),
	GAP: (byte) => byte < 0x80 && (GAP_BYTES[byte] === 1 || '\\\x7fi\0'.includes(String.fromCharCode(byte))),
};

function bitOf(words: Int32Array, kind: number, index: number): boolean {
	return ((words[Math.floor(index / BITS) * KIND_COUNT + kind] >>> (index % BITS)) & 1) === 1;
}

test('every byte has the bits of its kinds, at every place in a text', (t) => {
	const all = Buffer.from(Array.from({ length: 512 }, (_, i) => (i * 37) & 0xff));
	for (let from = 0; from < 40; from++) {
		const to = all.length - 40 + from;
		const words = readKinds(all, from, to);
		for (const [name, kind] of Object.entries(KIND)) {
			const has = HAS[name as keyof typeof KIND];
			for (let at = from; at < to; at++) {
				if (bitOf(words, kind, at - from) !== has(all[at])) t.fail(`${name} of byte ${all[at]} at ${at - from}`);
			}
			for (let at = to; (at - from) % BITS !== 0; at++)
				t.false(bitOf(words, kind, at - from), `${name} behind the end`);
		}
	}
	t.pass();
});

test('as many bytes as are classified at once have their bits, and the next bytes theirs', (t) => {
	const bytes = Buffer.alloc(2 * MOST_BYTES, 'x');
	bytes.write('7', MOST_BYTES - 1);
	t.true(bitOf(readKinds(bytes, 0, MOST_BYTES), KIND.DIGIT, MOST_BYTES - 1));
	const next = readKinds(bytes, MOST_BYTES, 2 * MOST_BYTES);
	t.true(next.subarray(0, (MOST_BYTES / BITS) * KIND_COUNT).every((word) => word === 0));
});

test('the next bit is found from any place on', (t) => {
	fc.assert(
		fc.property(fc.uniqueArray(fc.nat(199), { maxLength: 12 }), fc.nat(250), (set, from) => {
			const bits = new Int32Array(9);
			for (const at of set) bits[Math.floor(at / BITS)] |= 1 << (at % BITS);
			const expected = Math.min(7 * BITS, ...set.filter((at) => at >= from));
			return nextBit(bits, 7, from) === expected;
		}),
	);
	t.pass();
});
