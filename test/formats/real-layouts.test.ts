// Runs layouts of real systems through the engine, there and back. In these texts `«4111…»` is a card number and `‹123›`
// its CVV; what stands between must pass unchanged. Every card expires in December 2029 unless a test gives another date.

import test, { type ExecutionContext } from 'ava';
import { formats } from '../../formats/index.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import type { Format } from '../../src/engine/format.ts';
import type { Token } from '../../src/vault/tokens/token.ts';
import { openVaultParts, swap } from '../helpers/vault-parts.ts';

const VISA = '4111111111111111';
const AMEX = '378282246310005';
const MARK = /[«‹]([^»›]*)[»›]/g;

const isRead = test.macro({
	async exec(t: ExecutionContext, filter: string, marked: string, expiry?: number) {
		const format = formats.get(filter);
		const parts = await openVaultParts(t);
		const engine = parts.engine([format as unknown as Format<never>]);
		const bytes = Buffer.from(marked.replace(MARK, '$1'));
		// Account 2 keeps no CVVs, so they come back as stars.
		const request = { filter, accountId: 2 };
		const there = await swap(parts, engine, { ...request, direction: 'tokenize', bytes });
		const pieces = marked.split(/(«[^»]*»|‹[^›]*›)/).map((part) => {
			if (part.startsWith('«')) return '([0-9a-fA-F]{32})';
			return (part.startsWith('‹') ? '*'.repeat(part.length - 2) : part).replace(/[^\w\s]/g, '\\$&');
		});
		const output = new RegExp(`^${pieces.join('')}$`);
		t.regex(there.bytes.toString(), output);
		t.deepEqual([there.summary.otherNumbers, there.summary.otherCodes, there.summary.refused], [0, 0, 0]);
		const back = await swap(parts, engine, { ...request, direction: 'detokenize', bytes: there.bytes });
		const stars = (_: string, mark: string) => '*'.repeat(mark.length);
		t.is(back.bytes.toString(), marked.replace(/‹([^›]*)›/g, stars).replace(MARK, '$1'));
		for (const token of output.exec(there.bytes.toString())!.slice(1)) {
			const stored = await parts.vault.find(2 as AccountId, token.toLowerCase() as Token);
			t.is(stored?.record.kind === 'card' && stored.record.expiry, expiry ?? 202912);
		}
	},
	title: (title) => `${title} is read as a real layout`,
});

test(
	'the CVV of Authorize.Net in XML',
	isRead,
	'TADC',
	`<payment><creditCard><cardNumber>«${VISA}»</cardNumber><expirationDate>2029-12</expirationDate><cardCode>‹123›</cardCode></creditCard></payment>`,
);
test(
	'the CVV of Authorize.Net in JSON',
	isRead,
	'SIMPLEJSON',
	`{"creditCard":{"cardNumber":"«${AMEX}»","expirationDate":"2029-12","cardCode":"‹1234›"}}`,
);
test(
	'a CVV under cardCode beside a number without a card element',
	isRead,
	'TADC',
	`<r><b cardNumber="«${VISA}»" expiryDate="1229" cardCode="‹123›"/></r>`,
);
test(
	'a card type under cardCode',
	isRead,
	'TADC',
	`<PaymentCard CardCode="VI" CardNumber="«${VISA}»" ExpireDate="1229" SeriesCode="‹123›"/>`,
);
test(
	'a card type in digits under cardCode beside a CVV',
	isRead,
	'SIMPLEJSON',
	`{"card":{"cardNumber":"«${VISA}»","expiry":"12/29","cardCode":"001","cvv":"‹123›"}}`,
);
test(
	'the CVV of Amadeus in XML',
	isRead,
	'TADC',
	`<ccInfo><vendorCode>VI</vendorCode><cardNumber>«${VISA}»</cardNumber><securityId>‹123›</securityId><expiryDate>1229</expiryDate></ccInfo>`,
);
test(
	'the CVV of Amadeus in JSON',
	isRead,
	'SIMPLEJSON',
	`{"ccInfo":{"vendorCode":"AX","cardNumber":"«${AMEX}»","securityId":"‹1234›","expiryDate":"1229"}}`,
);
test(
	'an identifier under securityId that is no CVV',
	isRead,
	'SIMPLEJSON',
	`{"card":{"cardNumber":"«${VISA}»","expiry":"12/29"},"login":{"securityId":"4711"}}`,
);
test(
	'the month and year of XML Schema that Sabre writes',
	isRead,
	'TADC',
	`<s:PaymentCard xmlns:s="urn:s"><s:CardCode>VI</s:CardCode><s:CardNumber>«${VISA}»</s:CardNumber><s:ExpiryMonth>--12</s:ExpiryMonth><s:ExpiryYear>2029</s:ExpiryYear></s:PaymentCard>`,
);
test(
	'a month and year of XML Schema with time zones',
	isRead,
	'TADC',
	`<Card><Number>«${VISA}»</Number><ExpiryMonth>--12--Z</ExpiryMonth><ExpiryYear>2029+01:00</ExpiryYear></Card>`,
);
test(
	'the expiry of Worldpay',
	isRead,
	'TADC',
	`<VISA-SSL><cardNumber>«${VISA}»</cardNumber><expiryDate><date month="12" year="2029"/></expiryDate><cvc>‹123›</cvc></VISA-SSL>`,
);
test(
	'an expiry in a date element of a card',
	isRead,
	'TADC',
	`<Card><Number>«${VISA}»</Number><Expiry><Date>2029-12-31</Date></Expiry></Card>`,
);
test(
	'the validity of a virtual card of Amadeus',
	isRead,
	'TADC',
	`<VirtualCard><Card CVV="‹123›"><PrimaryAccountNumber>«5555555555554444»</PrimaryAccountNumber><Validity StartDate="2026-01-01" EndDate="2029-12-31"/></Card></VirtualCard>`,
);
test(
	'the month and year in a date element of an expiry',
	isRead,
	'TADC',
	`<Card><Number>«${VISA}»</Number><Expiry><Date><Month>12</Month><Year>2029</Year></Date></Expiry><Date>2026-01-05</Date></Card>`,
);
for (const text of ['_', '$', '$t', '#text', '_text', '_cdata', '#cdata-section']) {
	test(
		`XML that became JSON with texts under ${text}`,
		isRead,
		'SIMPLEJSON',
		`{"PaymentCard":[{"CardNumber":[{"${text}":"«${VISA}»"}],"ExpireDate":{"${text}":"1229"},"SeriesCode":{"@a":"b","${text}":"‹123›"}}]}`,
	);
}
test(
	'XML that became JSON with attributes under $',
	isRead,
	'SIMPLEJSON',
	`{"PaymentCard":[{"$":{"CardCode":"VI"},"CardNumber":[{"_":"«${VISA}»","$":{"a":"1"}}],"ExpireDate":["1229"],"CVV":[{"_":"‹123›"}]}]}`,
);
test(
	'the cards of a guest and of his company',
	isRead,
	'GBT',
	`Guest Card Number;Guest Card Expiry;Company Card Number;Company Card Expiry\n«${VISA}»;12/29;«${AMEX}»;12/29\n`,
);
test(
	'a Dutch header',
	isRead,
	'CSV',
	`Boeking;Creditcardnummer;Geldig tot;CVC;Kaarthouder\nABC;«${VISA}»;12/29;‹123›;M. Jansen\n`,
);
test(
	'a Danish header',
	isRead,
	'GBT',
	`Rejsende;Kortnummer;Udløbsdato;Sikkerhedskode;Kortholder\nX;«${AMEX}»;12/29;‹1234›;X\n`,
);
test('a Polish header', isRead, 'SIMPLECSV', `Numer karty;Data ważności;Kod bezpieczeństwa\n«${VISA}»;12/29;‹123›\n`);
for (const filter of ['CSV', 'GBT', 'SIMPLECSV']) {
	test(
		`${filter}: a card code before the number in its column`,
		isRead,
		filter,
		`PNR,Card Number,Expiry\nA,VI«${VISA}»,1229\nB,CCAX«${AMEX}»,1229\nC,"CA «5555 5555 5555 4444»",1229\nD,AX-«${AMEX}»,1229\nE,CC/VI«${VISA}»,1229\nF,VIXXXXXXXXXXXX1111,1229\n`,
	);
}
test(
	'a card code before the number in JSON',
	isRead,
	'SIMPLEJSON',
	`[{"card":"CCVI«${VISA}»","cardExpiry":"12/29"},{"cardNumbers":["AX«${AMEX}»"],"expiry":"12/29"}]`,
);
test(
	'a card code before the number in XML',
	isRead,
	'TADC',
	`<r><Card Number="VI«${VISA}»" Exp="1229"/><Card><Number>CCAX «${AMEX}»</Number><Exp>1229</Exp></Card></r>`,
);

for (const filter of ['CSV', 'GBT', 'SIMPLECSV']) {
	test(
		`${filter}: an expiry behind the number in its column`,
		isRead,
		filter,
		`PNR,FOP Number\nA,CCVI«${VISA}»/1229\nB,AX«${AMEX}»*D1229\nC,«${VISA}»/12/29\nD,VI «4111 1111 1111 1111» EXP 12/29\nE,DC«30569309025904»D1229\n`,
	);
}
test(
	'an expiry behind the number in JSON',
	isRead,
	'SIMPLEJSON',
	`[{"cardNumber":"CCVI«${VISA}»/1229","cvv":"‹123›"},{"cards":["«${AMEX}»/1229"]}]`,
);
test('an expiry behind the number in XML', isRead, 'TADC', `<Card Number="CCVI«${VISA}»/1229" CVV="‹123›"/>`);
test(
	'an expiry in a field of its own, which counts more than one behind the number',
	isRead,
	'CSV',
	`Card Number,Expiry\n«${VISA}»/0125,1229\n`,
);

test('a code before a number is its card type, and one that does not agree is warned of', async (t) => {
	const parts = await openVaultParts(t);
	const engine = parts.engine([...formats.values()] as unknown as Format<never>[]);
	const text = `Card Number,Expiry\nDC30569309025904,1229\nAX${VISA},1229\nVI4111111111111112,1229\n`;
	const options = { report: { cards: 'all' } };
	const there = await swap(parts, engine, {
		...{ filter: 'CSV', direction: 'tokenize', options, bytes: Buffer.from(text) },
	});
	t.deepEqual(
		there.entries.map(({ outcome, cardType, warnings }) => [outcome, cardType, warnings]),
		[
			['tokenized', 'DinersClub', undefined],
			['tokenized', 'Visa', ['Card type validation message']],
			['refused', undefined, undefined],
		],
	);
	t.regex(there.bytes.toString(), /\nDC[0-9a-f]{32},1229\nAX[0-9a-f]{32},1229\n/);
});
