// Pieces of web pages and addresses that people paste into any field have blanks that are written as codes, and line breaks of
// HTML.

import test from 'ava';
import { formats } from '../../formats/index.ts';
import type { Format } from '../../src/engine/format.ts';
import { openVaultParts, swap } from '../helpers/vault-parts.ts';

const FRAMES: Readonly<Record<string, (text: string) => string>> = {
	CSV: (text) => `Card Number,Note\n,${text}\n`,
	SIMPLEJSON: (text) => `{"cardNumber":null,"note":"${text}"}`,
	AIR: (text) => `AIR-BLK207;7A;;233;0\nAMD 1;1/1;\n1A1;1A1\nMUC1A CC003;0101\nRM ${text}\nENDX\n`,
	TADC: (text) => `<T><PaymentCard><CardNumber/></PaymentCard><Note>${text}</Note></T>`,
};
/** Programs write these into texts of every format. The last one is no escape of JSON. */
const WRITTEN = ['\\u00a0', '\\\\u00A0', '\\\\u2009', '\\\\u002d', '\\\\xa0', '\\xa0'];
const GROUPS = ['4111', '1111', '1111', '1111'];
const BLANKS = [
	'&nbsp;',
	'&NBSP;',
	'&#160;',
	'&#xA0;',
	'&#x00a0;',
	'%20',
	'%2D',
	'%C2%A0',
	'&ndash;',
	'&amp;nbsp;',
	'\\u0026nbsp;',
	...['<br>', '<BR/>', '<br />', '&lt;br&gt;', '&amp;lt;br /&amp;gt;', '\\u003cbr\\u003e', '<br \\/>'],
];

for (const [filter, frame] of Object.entries(FRAMES)) {
	for (const blank of [...BLANKS, ...WRITTEN]) {
		// XML has no such names of its own, and only JSON has such codes.
		if (filter === 'TADC' && /^(&[a-z]+;|<br>)$/i.test(blank)) continue;
		if (blank.includes('\\') && filter !== 'SIMPLEJSON' && !WRITTEN.includes(blank)) continue;
		if (blank === '\\xa0' && filter === 'SIMPLEJSON') continue;
		test(`${filter}: a number with ${blank} between its groups is found, hidden, and restored as it was spelled`, async (t) => {
			const parts = await openVaultParts(t);
			const engine = parts.engine([formats.get(filter) as unknown as Format<never>]);
			const spelled = GROUPS.join(blank);
			const text = frame(`x${blank}${spelled}${blank}EXP`);
			const request = { filter, accountId: 2, direction: 'tokenize', bytes: Buffer.from(text) } as const;
			for (const chunkSizes of [[65_536], [1], [7]]) {
				const swapped = await swap(parts, engine, {
					...{ ...request, chunkSizes },
					options: { otherNumbers: 'tokenize', expectCards: false },
				});
				t.is(swapped.summary.otherNumbers, 1);
				t.is(swapped.entries[0].number, '411111******1111');
				const [head, tail] = text.split(spelled);
				const token = swapped.bytes.toString().slice(head.length, -tail.length);
				t.is(swapped.bytes.toString(), head + token + tail);
				t.regex(token, /^[0-9a-f]{32}$/i);
				const back = await swap(parts, engine, {
					...request,
					direction: 'detokenize',
					bytes: swapped.bytes,
					chunkSizes,
				});
				t.is(back.bytes.toString(), text);
				const options = { otherNumbers: 'mask', expectCards: false };
				const masked = await swap(parts, engine, { ...request, chunkSizes, options });
				t.is(masked.bytes.toString(), text.replace(spelled, '*'.repeat(spelled.length)));
			}
		});
	}

	test(`${filter}: the digits of an escape before or behind a number are no part of it`, async (t) => {
		const parts = await openVaultParts(t);
		const engine = parts.engine([formats.get(filter) as unknown as Format<never>]);
		const text = frame('https://x.example/?note=VISA%204111111111111111%20EXP%201229');
		for (const chunkSizes of [[65_536], [7]]) {
			const { summary, entries } = await swap(parts, engine, {
				...{ filter, accountId: 2, direction: 'tokenize', bytes: Buffer.from(text), chunkSizes },
				options: { expectCards: false },
			});
			t.is(summary.otherNumbers + summary.cards, 1);
			t.is(entries.at(-1)!.number ?? '411111******1111', '411111******1111');
		}
	});
}
