// Makes bodies of about 2 KB with one place for a card, and the profiles that find it.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cardNumber } from './generate.ts';

const BODY_BYTES = 2048;

/** Returns a hotel booking as JSON; `token` stands where the number goes. */
export function jsonBody(token: string): string {
	const guests = Array.from({ length: 8 }, (_, n) => ({
		...{ id: n, title: 'Ms', firstName: `Guest${n}`, lastName: 'Example', nationality: 'NL', age: 30 + n },
		preferences: ['non-smoking', 'high floor', 'late arrival'],
	}));
	const card = { holder: '', number: token, expiryMonth: '', expiryYear: '', brand: '' };
	const booking = { hotel: 'H-100', arrival: '2027-03-01', departure: '2027-03-04', guests, payment: { card } };
	return padded(JSON.stringify({ ...booking, remarks: 'REST' }));
}

/** Returns a hotel booking as SOAP, in the manner of OTA; `token` stands where the number goes. */
export function soapBody(token: string): string {
	const guests = Array.from(
		{ length: 8 },
		(_, n) =>
			`<ota:Customer RPH="${n}"><ota:PersonName><ota:GivenName>Guest${n}</ota:GivenName><ota:Surname>Example</ota:Surname></ota:PersonName></ota:Customer>`,
	);
	return padded(
		`<?xml version="1.0" encoding="UTF-8"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:ota="http://www.opentravel.org/OTA/2003/05"><s:Header/><s:Body><ota:OTA_HotelResNotifRQ Version="1.0"><ota:Customers>${guests.join('')}</ota:Customers><ota:Guarantee><ota:PaymentCard CardCode="" CardNumber="${token}" ExpireDate="MMYY"><ota:CardHolderName></ota:CardHolderName></ota:PaymentCard></ota:Guarantee><ota:Comment>REST</ota:Comment></ota:OTA_HotelResNotifRQ></s:Body></s:Envelope>`,
	);
}

/** Returns what a channel answers: reservations with a card each, about `bytes` bytes in all. */
export function jsonReservations(cards: number, bytes: number): string {
	const filler = 'x'.repeat(Math.floor(bytes / cards) - 190);
	const reservation = (n: number) => ({
		id: n,
		note: filler,
		payment: {
			card: { number: cardNumber(n), expiryMonth: '12', expiryYear: '2029', holder: 'A HOLDER', brand: 'Visa' },
		},
	});
	return JSON.stringify({ reservations: Array.from({ length: cards }, (_, n) => reservation(n)) });
}

function padded(body: string): string {
	return body.replace('REST', '.'.repeat(Math.max(4, BODY_BYTES - body.length)));
}

export const JSON_PROFILE = profile(
	'bench-json.yaml',
	`name: BenchJson
direction: replace
body: json
cards:
  - container: $.payment.card
    number: $.number
    expiryMonth: $.expiryMonth
    expiryYear: $.expiryYear
    nameOnCard: $.holder
    type: $.brand
`,
);

export const SOAP_PROFILE = profile(
	'bench-soap.yaml',
	`name: BenchSoap
direction: replace
body: xml
cards:
  - container: //*[local-name()='PaymentCard']
    number: '@CardNumber'
    expiryMonth: { path: '@ExpireDate', format: MM, substring: [0, 2] }
    expiryYear: { path: '@ExpireDate', format: YY, substring: [2, 2] }
    nameOnCard: "*[local-name()='CardHolderName']"
    type: { path: '@CardCode', map: { Visa: VI, MasterCard: MC, AMEX: AX } }
`,
);

export const CAPTURE_PROFILE = profile(
	'bench-capture.yaml',
	`name: BenchCapture
direction: tokenize
body: json
inPlace: token
cards:
  - container: $.reservations[*].payment.card
    number: $.number
    expiryMonth: $.expiryMonth
    expiryYear: $.expiryYear
    nameOnCard: $.holder
    type: $.brand
`,
);

/** Returns a function that writes a profile into a folder and returns its path. */
function profile(name: string, text: string): (folder: string) => string {
	return (folder) => {
		const path = join(folder, name);
		writeFileSync(path, text);
		return path;
	};
}
