// Checks what `onRefused: mask` writes over the number of a card that is not tokenized.

import test from 'ava';
import { formats } from '../../formats/index.ts';
import type { Format } from '../../src/engine/format.ts';
import { openVaultParts, swap } from '../helpers/vault-parts.ts';

const all = [...formats.values()] as unknown as Format<never>[];
const NUMBER = '4111 1111 1111 1111';
/** The zeros of scripts in which people type numbers: Arabic, Persian, Devanagari and full width. */
const ZEROS = [0x30, 0x660, 0x6f0, 0x966, 0xff10];

const inScript = (text: string, zero: number) => text.replace(/\d/g, (digit) => String.fromCodePoint(zero + +digit));

for (const zero of ZEROS) {
	test(`the hidden digits of a refused number in the script of U+${zero.toString(16)} become stars`, async (t) => {
		const parts = await openVaultParts(t);
		const engine = parts.engine(all);
		const stars = '*'.repeat(Buffer.byteLength(String.fromCodePoint(zero)));
		for (const number of [NUMBER, NUMBER.replaceAll(' ', '')]) {
			const spelled = inScript(number, zero);
			let seen = 0;
			const masked = [...spelled].map((sign) => (sign === ' ' || ++seen <= 6 || seen > 12 ? sign : stars)).join('');
			for (const [filter, text] of [
				['CSV', '"Card Number",Expiry,Note\n@,12/20,a\n'],
				['SIMPLEJSON', '{"cardNumber":"@","expirationDate":"12/20"}\n'],
				['TADC', '<Card><CardNumber>@</CardNumber><ExpirationDate>1220</ExpirationDate></Card>'],
			] as const) {
				const bytes = Buffer.from(text.replace('@', spelled));
				const options = { onRefused: 'mask' };
				const out = await swap(parts, engine, { filter, direction: 'tokenize', options, bytes });
				t.is(out.bytes.toString(), text.replace('@', masked));
				t.is(out.summary.refused, 1);
			}
		}
	});
}
