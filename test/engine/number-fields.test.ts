// A number near the end of a window waits for the next one, because its security code may follow, while its field may have
// ended before. What is done to it depends on its own field all the same.

import test from 'ava';
import { formats } from '../../formats/index.ts';
import type { Format } from '../../src/engine/format.ts';
import { DEFAULT_LIMITS } from '../../src/engine/window.ts';
import { openVaultParts, swap } from '../helpers/vault-parts.ts';

const PHONE = '4222222222222';
const MORE = 'y'.repeat(200);
const FILES = {
	CSV: {
		head: `Mobile Phone;Card Number;Note\n${';;abcdef\n'.repeat(20_000)};;`,
		tail: `\n${PHONE};;Mueller calls\n;;abc\n;;abc\n;;${MORE}\n`,
		masked: `\n${PHONE};;Mueller calls\n;;abc\n;;abc\n;;${MORE}\n`,
	},
	SIMPLEJSON: {
		head: '[{"note":"',
		tail: `"},\n{"phone":${PHONE},"a":4111111111111111,"b":"abc"},{"d":"e"},{"n":"${MORE}"}]`,
		masked: `"},\n{"phone":${PHONE},"a":"411111******1111","b":"abc"},{"d":"e"},{"n":"${MORE}"}]`,
	},
};

for (const [filter, { head, tail, masked }] of Object.entries(FILES)) {
	test(`${filter}: a number that waits for the next window keeps its field`, async (t) => {
		const parts = await openVaultParts(t);
		const engine = parts.engine([formats.get(filter) as unknown as Format<never>]);
		for (let behind = 30; behind < 150; behind += 5) {
			const filling = 'x'.repeat(DEFAULT_LIMITS.windowBytes - behind - head.length);
			const { bytes } = await swap(parts, engine, {
				...{ filter, accountId: 2, direction: 'tokenize', bytes: Buffer.from(head + filling + tail) },
				options: { otherNumbers: 'mask', expectCards: false },
			});
			t.is(bytes.toString().slice((head + filling).length), masked, `${behind} bytes before the end`);
		}
	});
}

const NUMBER = '4111111111111111';
const CUT = {
	SIMPLEJSON: { head: '[{"note":"', tail: `"},{"memo":{"remark":"12.B${NUMBER}.5 x"},"n":"y"}]`, field: 'remark' },
	TADC: {
		head: '<TravelAgencyDataCapture><Note>',
		tail: `</Note><Memo><Remark>12.B${NUMBER}.5 x</Remark></Memo></TravelAgencyDataCapture>`,
		field: 'Remark',
	},
};

for (const [filter, { head, tail, field }] of Object.entries(CUT)) {
	test(`${filter}: a number in which a window ends keeps its field`, async (t) => {
		const parts = await openVaultParts(t);
		const engine = parts.engine([formats.get(filter) as unknown as Format<never>]);
		const first = tail.indexOf('12.B');
		for (let behind = first - 2; behind < first + 26; behind++) {
			const filling = 'x'.repeat(DEFAULT_LIMITS.windowBytes - behind - head.length);
			const { bytes, entries } = await swap(parts, engine, {
				...{ filter, accountId: 2, direction: 'tokenize', bytes: Buffer.from(head + filling + tail) },
				options: { otherNumbers: 'mask', expectCards: false },
			});
			const cut = `${behind} bytes of the rest before the end`;
			t.deepEqual(
				entries.map((entry) => entry.field),
				[field],
				cut,
			);
			t.is(bytes.toString().slice((head + filling).length), tail.replace(NUMBER, '411111******1111'), cut);
		}
	});
}
