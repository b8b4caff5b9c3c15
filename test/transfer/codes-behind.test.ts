// Checks what becomes of security codes on the line or in the text of a card number, in files of every format.

import test from 'ava';
import { formats } from '../../formats/index.ts';
import type { Format } from '../../src/transfer/format.ts';
import { openVaultRooms, swap } from '../helpers/vault-rooms.ts';

const all = [...formats.values()] as unknown as Format<never>[];
const AIR_HEAD = 'AIR-BLK207;7A;;233;0000000000;1A1200000;001001\nAMD 1\nGW1\nMUC1A 1\n';

test('the code of a card is starred wherever a window ends behind it', async (t) => {
	const texts = {
		AIR: `${AIR_HEAD}${'RM FILL\n'.repeat(1200)}${'RM VI4111111111111111/1229 PAID CVV 123\nRM X\n'.repeat(9)}ENDX\n`,
		SIMPLEJSON: '{"cardNumber":"4111111111111111","note":"x","cvv":"123","expirationDate":"12/29"}\n'.repeat(9),
		SIMPLECSV: `CardNumber,Note,CVV\n${'4111111111111111,cvv of,123\n'.repeat(9)}`,
		TADC: `<a>${'<Card CardNumber="4111111111111111" CVV="123" ExpireDate="1229"/>\n'.repeat(9)}</a>`,
	};
	const rooms = await openVaultRooms(t);
	for (const [filter, text] of Object.entries(texts)) {
		for (const windowBytes of [31, 64, 100, 150]) {
			const engine = rooms.engine(all, { windowBytes, maxRecordBytes: 1_048_576 });
			const there = await swap(rooms, engine, { filter, direction: 'tokenize', bytes: Buffer.from(text) });
			t.is(there.summary.cards, 9);
			t.is(there.bytes.toString().match(/\*\*\*/g)?.length, 9, `${filter}, windows of ${windowBytes} bytes`);
			t.is(there.summary.otherCodes, 0);
		}
	}
});

test('a number behind the word for a security code is no code of the card before it', async (t) => {
	const rooms = await openVaultRooms(t);
	const bytes = Buffer.from(`${AIR_HEAD}RM VI4111111111111111/1229 CVV 5555 5555 5555 4444\nENDX\n`);
	const options = { otherNumbers: 'tokenize' };
	const there = await swap(rooms, rooms.engine(all), { filter: 'AIR', direction: 'tokenize', bytes, options });
	t.regex(there.bytes.toString(), /RM VI[0-9A-F]{32}\/1229 CVV [0-9A-F]{32}\n/);
});
