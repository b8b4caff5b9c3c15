// Checks hostile files: each soon ends in an error with a reason and a position, and takes bounded memory.

import test, { type ExecutionContext } from 'ava';
import { formats } from '../../formats/index.ts';
import type { AccountId, PassId } from '../../src/base/database/ids.ts';
import { FileError, type Format } from '../../src/engine/format.ts';
import { openVaultParts } from '../helpers/vault-parts.ts';

const all = [...formats.values()] as unknown as Format<never>[];
const PIECE = 65_536;

interface Hostile {
	readonly filter: string;
	/** The beginning of the file, in which the layout is correct. */
	readonly head?: string;
	/** The text that is repeated until the engine gives up. */
	readonly body: string;
	readonly repeat: number;
	readonly message: RegExp;
	/** How many bytes may be read before the engine gives up. */
	readonly patience?: number;
}

const refused = test.macro({
	title: (providedTitle) => `${providedTitle} is refused with a position, soon`,
	async exec(t: ExecutionContext, hostile: Hostile) {
		const parts = await openVaultParts(t);
		let pulled = 0;
		async function* source() {
			if (hostile.head) yield Buffer.from(hostile.head);
			const piece = Buffer.from(hostile.body.repeat(Math.max(1, Math.floor(PIECE / hostile.body.length))));
			const total = hostile.body.length * hostile.repeat;
			for (let sent = 0; sent < total; sent += piece.length) {
				pulled += piece.length;
				yield piece.subarray(0, Math.min(piece.length, total - sent));
			}
		}
		let written = 0;
		const error = await t.throwsAsync(
			parts.engine(all).run({
				pass: { id: '01hostile' as PassId, begunAt: 0 },
				accountId: 1 as AccountId,
				direction: 'tokenize',
				filter: hostile.filter,
				options: {},
				source: source(),
				sink: {
					async write(bytes) {
						written += bytes.length;
					},
				},
				report: { entry: () => undefined },
			}),
			{ instanceOf: FileError },
		);
		t.regex(error.message, hostile.message);
		t.true(error.at.offset >= 0 && error.at.offset <= pulled + (hostile.head?.length ?? 0));
		t.true(pulled <= (hostile.patience ?? 4_000_000), `${pulled} bytes were read`);
		t.true(written <= pulled);
		t.deepEqual(await parts.database.knex('pages'), []);
	},
});

const TWO_GB = 2_000_000_000;
const CSV_HEAD = 'CardNumber,ExpirationDate\n';

for (const [filter, head] of [
	['SIMPLECSV', CSV_HEAD],
	['CSV', CSV_HEAD],
	['GBT', 'Card Number,Card Expiry Date\n'],
	['AIR', 'AIR-BLK207;7A;;233;0000000000;1A1200000;001001\n'],
	['IUR', 'AA20NOV0915M0117'],
	['SIMPLEJSON', '{"cardNumber":"'],
	['TADC', '<TravelAgencyDataCapture><PaymentCard><CardNumber>'],
]) {
	test(`${filter}: a line or value of 2 GB`, refused, {
		filter,
		head,
		body: 'A',
		repeat: TWO_GB,
		message: /longer|long/,
	});
	test(`${filter}: UTF-16`, refused, { filter, body: '\uFEFFa\0b\0', repeat: 10, message: /UTF-16|NUL|encod/i });
}

test('SIMPLEJSON: 100,000 nested arrays', refused, {
	filter: 'SIMPLEJSON',
	body: '[',
	repeat: 100_000,
	message: /deep|nest/,
});
test('SIMPLEJSON: 100,000 nested objects', refused, {
	filter: 'SIMPLEJSON',
	body: '{"a":',
	repeat: 100_000,
	message: /deep|nest/,
});
test('TADC: 100,000 nested elements', refused, { filter: 'TADC', body: '<a>', repeat: 100_000, message: /deep|nest/ });
test('TADC: a document type, the door to entity bombs', refused, {
	filter: 'TADC',
	body: '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bbbb">]><a>&b;</a>',
	repeat: 1,
	message: /DOCTYPE/i,
});
test('SIMPLECSV: a quote that never closes', refused, {
	filter: 'SIMPLECSV',
	head: `${CSV_HEAD}"4111`,
	body: '111111111111,12/29\n',
	repeat: 1_000_000,
	message: /quote|longer/,
});
test('TADC: an attribute that never ends', refused, {
	filter: 'TADC',
	head: '<a b="',
	body: 'x',
	repeat: TWO_GB,
	message: /longer|long|attribute/,
});
test('TADC: a comment that never ends', refused, {
	filter: 'TADC',
	head: '<a><!--',
	body: 'x',
	repeat: 10_000_000,
	message: /longer|comment/,
	patience: 20_000_000,
});
