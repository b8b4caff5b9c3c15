// Checks what the place of a number says of it, in whole files.

import test, { type ExecutionContext } from 'ava';
import { formats } from '../../formats/index.ts';
import type { Format } from '../../src/engine/format.ts';
import { openVaultParts, swap } from '../helpers/vault-parts.ts';

const PHONE = '4915112345678';
const CHUNKS = [[65_536], [7], [64, 3]];

async function summaries(t: ExecutionContext, filter: string, text: string) {
	const parts = await openVaultParts(t);
	const engine = parts.engine([formats.get(filter) as unknown as Format<never>]);
	const counts: (readonly [number, number])[] = [];
	for (const chunkSizes of CHUNKS) {
		const { summary } = await swap(parts, engine, {
			...{ filter, accountId: 2, direction: 'tokenize', bytes: Buffer.from(text), chunkSizes },
			options: { expectCards: false },
		});
		counts.push([summary.otherNumbers, summary.masked]);
	}
	for (const count of counts) t.deepEqual(count, counts[0], 'however the file is cut');
	return { found: counts[0][0], masked: counts[0][1] };
}

const json = (note: string) => `{"cardNumber":null,"note":"${note}"}`;
const xml = (inner: string) => `<T><PaymentCard><CardNumber/></PaymentCard>${inner}</T>`;
const csv = (name: string, cell: string) => `Card Number,${name},Type\n,${cell},VISA\n`;
const air = (line: string) => `AIR-BLK207;7A;;233;0\nAMD 1;1/1;\n1A1;1A1\nMUC1A CC003;0101\n${line}\nENDX\n`;
const iur = (...lines: string[]) => ['AA29DEC0400M0117', ...lines, ''].join('\n');

const finds = test.macro({
	async exec(t, filter: string, text: string, found: number, masked = 0) {
		t.deepEqual(await summaries(t, filter, text), { found, masked });
	},
	title: (name) => name ?? '',
});

const long = 'x'.repeat(70);
test(
	'a label far from the end of a window counts in JSON',
	finds,
	'SIMPLEJSON',
	json(`${long} Tel. ${PHONE} ${long}`),
	0,
);
test(
	'a card word behind a phone counts in JSON',
	finds,
	'SIMPLEJSON',
	json(`${long} Tel. ${PHONE} by VISA ${long}`),
	1,
);
test(
	'a key for phones counts in JSON, beside any other key',
	finds,
	'SIMPLEJSON',
	`{"card":"VISA","phone":${PHONE}}`,
	0,
);
test('an element for phones counts in XML', finds, 'TADC', xml(`<Phone type="VISA">${PHONE}</Phone>`), 0);
test('an element for remarks does not count in XML', finds, 'TADC', xml(`<Remark>${PHONE}</Remark>`), 1);
test('a column for phones counts beside one for types', finds, 'CSV', csv('Mobile Phone', PHONE), 0);
test('a card word in a cell for phones counts', finds, 'CSV', csv('Mobile Phone', `"VISA, ${PHONE}"`), 1);
test('a column for anything does not count', finds, 'CSV', csv('Anything', PHONE), 1);
test('a card of 16 digits in a column for phones is told', finds, 'CSV', csv('Phone', '4111111111111111'), 1);
test('the phone of a passenger counts in an AIR', finds, 'AIR', air(`I-001;01MUSTER/ERIKA MRS;;APMUC ${PHONE}//`), 0);
test('a remark does not count in an AIR', finds, 'AIR', air(`RM ${PHONE}`), 1);
test(
	'the lines behind M0 are for phones',
	finds,
	'IUR',
	iur('', PHONE, '', 'M101X', '0102', '01', '', '', '0102', '01'),
	0,
);
test(
	'a remark does not count in an IUR',
	finds,
	'IUR',
	iur('', '', 'M101X', '0102', '01', '', '', '0102', '01', `M801${PHONE}`),
	1,
);

test('a zero mask in XML counts as masked', finds, 'TADC', xml('<Remark>4111 1100 0000 0005</Remark>'), 0, 1);
test('a zero mask of two digits in text counts as masked', finds, 'AIR', air('RM VISA 5500000000001234'), 0, 1);
test('a zero mask behind a code counts as masked', finds, 'AIR', air('FPCCVI4111110000001234/1229'), 0, 1);
