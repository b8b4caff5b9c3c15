// Measures how fast TADC and SIMPLEJSON files are scanned, without the engine: `node bench/scan-markup-json.ts [MB]`.

import { simplejson } from '../formats/simplejson.ts';
import { tadc } from '../formats/tadc.ts';
import { Findings, type Scanner } from '../src/engine/format.ts';

const WINDOW_BYTES = 262_144;
const megabytes = Number(process.argv[2] ?? 100);

const jsonCard = (i: number) =>
	`{"cardNumber":"4111111111111111","expirationMonth":"12","expirationYear":"2029","cardType":"Visa","nameOnCard":"MARIE DUPONT ${i}","reference":"REF-${i}"}\n`;
const jsonPretty = (i: number) =>
	`  {\n    "bookingId": ${i},\n    "passenger": "DUPONT/MARIE MRS",\n    "card": {\n      "number": "4111111111111111",\n      "expirationDate": "2029-12"\n    },\n    "amount": 538.02\n  },\n`;
const jsonPlain = (i: number) =>
	`{"bookingId":${i},"passenger":"DUPONT/MARIE MRS","segments":["LH123","AF456"],"amount":538.02,"remarks":"window seat if at all possible, please"}\n`;
const xmlCard = (i: number) =>
	`      <PaymentCard><CardType>VI</CardType><CardNumber>4111111111111111</CardNumber><ExpirationDate>1229</ExpirationDate><NameOnCard>MARIE DUPONT ${i}</NameOnCard></PaymentCard>\n`;
const xmlAttributes = (i: number) =>
	`<PaymentCard CardCode="VI" CardNumber="4111111111111111" ExpireDate="1229" Reference="REF-${i}"/>\n<Amount currency="EUR">538.02</Amount>\n`;
const xmlPlain = (i: number) =>
	`    <Transaction id="${i}">\n      <TicketNumber>4595262536753</TicketNumber>\n      <PassengerName>DUPONT/MARIE MRS</PassengerName>\n      <Amount currency="EUR">538.02</Amount>\n    </Transaction>\n`;

const cases: [string, () => Scanner, string, (i: number) => string, string][] = [
	['JSON, NDJSON, a card a line', () => simplejson.scanner({}, 'tokenize'), '', jsonCard, ''],
	['JSON, pretty array of bookings', () => simplejson.scanner({}, 'tokenize'), '[\n', jsonPretty, '{}]'],
	['JSON, no card', () => simplejson.scanner({}, 'tokenize'), '', jsonPlain, ''],
	['XML, elements', () => tadc.scanner({}, 'tokenize'), '<Batch>\n', xmlCard, '</Batch>'],
	['XML, attributes', () => tadc.scanner({}, 'tokenize'), '<Batch>\n', xmlAttributes, '</Batch>'],
	['XML, no card', () => tadc.scanner({}, 'tokenize'), '<Batch>\n', xmlPlain, '</Batch>'],
];

const table = [];
for (const [name, open, head, line, tail] of cases) {
	const bytes = generate(head, line, tail);
	scanWhole(open(), bytes);
	// Processor time is measured rather than time by the clock, because the machine may be busy with other things.
	const started = process.cpuUsage();
	const cards = scanWhole(open(), bytes);
	const { user, system } = process.cpuUsage(started);
	const seconds = (user + system) / 1e6;
	table.push({
		file: name,
		MB: Math.round(bytes.length / 1e6),
		cards,
		'MB/s': Math.round(bytes.length / 1e6 / seconds),
		'cards/s': Math.round(cards / seconds),
	});
}
console.table(table);

function generate(head: string, line: (i: number) => string, tail: string): Buffer {
	const parts = [Buffer.from(head)];
	for (let i = 0, length = 0; length < megabytes * 1e6; length += parts[parts.length - 1].length) {
		let block = '';
		for (let j = 0; j < 1000; j++) block += line(i++);
		parts.push(Buffer.from(block));
	}
	return Buffer.concat([...parts, Buffer.from(tail)]);
}

function scanWhole(scanner: Scanner, bytes: Buffer): number {
	const found = new Findings();
	let cards = 0;
	let from = 0;
	for (let to = 0; from < bytes.length; ) {
		to = Math.min(bytes.length, to + WINDOW_BYTES);
		found.truncate(0);
		from = scanner.scan(bytes, from, to, to === bytes.length, found);
		cards += found.length;
	}
	return cards;
}
