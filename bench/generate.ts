// Makes files for the benchmark. Every card number in a file is different, Luhn-valid and in a test BIN.

import { closeSync, openSync, statSync, writeSync } from 'node:fs';

/** How a file is written: its beginning, its end, and for record `n` a line of text or several. */
type Layout = { readonly head: string; readonly tail: string; record(n: number): string };

/** Returns the `n`-th number of the BIN 411111, completed by its check digit. */
export function cardNumber(n: number): string {
	const body = `4111110${String(n).padStart(8, '0')}`;
	let sum = 0;
	for (let i = 0; i < 15; i++) {
		const digit = Number(body[14 - i]);
		sum += i % 2 === 0 ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit;
	}
	return body + ((10 - (sum % 10)) % 10);
}

const pad = (n: number, width: number) => String(n).padStart(width, '0');
const simple = (number: (n: number) => string, type = 'Visa'): Layout => ({
	head: 'BookingRef,Hotel,GuestName,CardType,CardNumber,ExpirationDate,Amount,Currency,Remark\n',
	tail: '',
	record: (n) =>
		`B${pad(n, 8)},HOTEL EXAMPLE ${pad(n % 1000, 4)},GUEST NAME ${pad(n % 99_999, 6)},${type},${number(n)},12/29,${pad(n % 10_000, 5)}.00,EUR,late arrival ${pad(n % 9999, 5)}\n`,
});

const air = (payment: (n: number) => string): Layout => ({
	head: '',
	tail: '',
	record: (n) =>
		`AIR-BLK207;7A;;233;0000000000;1A1200000;001001\r\nAMD 01${pad(n, 8)};1/1;              \r\n1A1200000;1A1200000\r\nMUC1A ${pad(n, 6)}003;0101;PARXX2100;20200001;PARXX2100;20200001\r\nA-EXAMPLE AIR;XX 0571\r\nD-261120;261120;261120\r\nI-001;01MARTIN/JEAN MR;;APPAR 0142000000 - A;;\r\nT-K571-${pad(n, 10)}\r\nFP${payment(n)};S2;P1\r\nENDX\r\n`,
});
const iur = (payment: (n: number) => string): Layout => ({
	head: '',
	tail: '',
	record: (n) =>
		`AA20NOV0915M0117                    000012312 34567 8ABCDEF          611111             AB1C *AAAA0000AA            20NOV 0900AB1C *AAAA  00001MARCDGPARIS DE GAULLE  JFKNEW YORK JFK     001001001001001001000001001000  01     20NOV \r\n\r\nEXAMPLE TRAVEL\r\n1 RUE EXEMPLE\r\n75001 PARIS\r\n\r\n\r\n\r\n\r\n\r\n\r\n\r\n0142000000\r\n\r\n\r\nP\r\nM50101  XX#${pad(n, 10)}/    .00/  410.00/ 128.02/ONE/${payment(n)} 1.1DUPONT MARIE/1/F/E\r\nM801COST CENTRE 4711\r\n`,
});
const tadc = (payment: (n: number) => string): Layout => ({
	head: '<?xml version="1.0" encoding="UTF-8"?>\r\n<TravelAgencyDataCapture version="1.0">\r\n <Transactions>\r\n',
	tail: ' </Transactions>\r\n</TravelAgencyDataCapture>\r\n',
	record: (n) =>
		`  <Transaction id="${n}">${payment(n)}<Amount currency="EUR">${n % 1000}.02</Amount></Transaction>\r\n`,
});
const json = (payment: (n: number) => string): Layout => ({
	head: '',
	tail: '',
	record: (n) => `{"booking":"B${pad(n, 8)}",${payment(n)},"amount":${n % 1000}.50}\n`,
});

const layouts: Record<string, Layout> = {
	SIMPLECSV: simple(cardNumber),
	CSV: simple(cardNumber),
	NOCARD: simple(() => ''),
	// Each card gives a warning, because its type is not that of its number.
	WARNED: simple(cardNumber, 'Amex'),
	GBT: {
		head: 'H,GBT,20200001,20261120,000042,,,,,\r\nRecord Type,Booking Reference,Invoice Date,Passenger Name,Card Type,Card Number,Card Expiry Date,Approval Code,Currency,Amount\r\n',
		tail: 'T,000004,838.02,,,,,,,\r\n',
		record: (n) =>
			`D,B${pad(n, 8)},2026-11-20,DUPONT/MARIE MRS ${pad(n % 9999, 6)},VI,${cardNumber(n)},12/29,A${pad(n % 99_999, 5)},EUR,${pad(n % 10_000, 6)}.02,CC47${pad(n % 100, 4)},E${pad(n % 9999, 6)}\r\n`,
	},
	SIMPLEJSON: json((n) => `"cardNumber":"${cardNumber(n)}","expirationDate":"12/29","cardType":"Visa"`),
	TADC: tadc(
		(n) =>
			`<PaymentCard><CardType>VI</CardType><CardNumber>${cardNumber(n)}</CardNumber><ExpirationDate>1229</ExpirationDate></PaymentCard>`,
	),
	AIR: air((n) => `CCVI${cardNumber(n)}/1229/A123456`),
	IUR: iur((n) => `CCVI${cardNumber(n)}`),
	'SIMPLEJSON-NOCARD': json((n) => `"guest":"GUEST NAME ${pad(n % 99_999, 6)}","payment":"Cash"`),
	'TADC-NOCARD': tadc((n) => `<Payment><Form>CA</Form><Receipt>${pad(n, 8)}</Receipt></Payment>`),
	'AIR-NOCARD': air(() => 'CASH'),
	'IUR-NOCARD': iur(() => 'CA'),
};

export type BenchFile = { readonly path: string; readonly bytes: number; readonly records: number };

/** Writes a file of at least `bytes` bytes in a layout. In the result, `records` is the number of records in the file. */
export function generate(layout: string, path: string, bytes: number): BenchFile {
	const { head, tail, record } = layouts[layout];
	const file = openSync(path, 'w');
	writeSync(file, head);
	let records = 0;
	let written = head.length;
	while (written < bytes) {
		let block = '';
		while (block.length < 1_000_000 && written + block.length < bytes) block += record(records++);
		writeSync(file, block);
		written += block.length;
	}
	writeSync(file, tail);
	closeSync(file);
	return { path, bytes: statSync(path).size, records };
}
