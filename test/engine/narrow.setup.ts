// What narrow.test.ts and narrow.slow.test.ts share.

import { formats } from '../../formats/index.ts';
import type { Format } from '../../src/engine/format.ts';

export const all = [...formats.values()] as unknown as Format<never>[];

export const NUMBERS = ['4111111111111111', '5555555555554444', '6011111111111117', '3530111333300000'];

export const quoted = (text: string, quote = '"') => `${quote}${text.replaceAll(quote, quote + quote)}${quote}`;
const escaped = (text: string) =>
	[...text]
		.map((one) => (one === '&' ? '&amp;' : /[<"\ufeff\u200b]/.test(one) ? `&#${one.codePointAt(0)};` : one))
		.join('');
const unicode = (text: string) =>
	text.replace(/[^\w %&;]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
const cdata = (text: string) => `<![CDATA[${text}]]>`;

/** Writes a value into the card field of a file. */
export const FILES: readonly (readonly [filter: string, write: (value: string) => string])[] = [
	['CSV', (value) => `Card Number,Expiry Date,CVV,Note\n${quoted(value)},12/29,123,a\n5555555555554444,12/29,,b\n`],
	['CSV', (value) => `Note|Card Number|CVV\r\na|${/[|"\r\n]/.test(value) ? quoted(value) : value}|123`],
	['GBT', (value) => `Card Type,Card Number,Expiry Date,CID,Cardholder Name\n,${quoted(value)},12/29,123,"A ""B"""\n`],
	['SIMPLECSV', (value) => `CardNumber\tExpirationDate\tCVV\n${quoted(value)}\t12/29\t123\n`],
	['SIMPLEJSON', (value) => `[{"cardNumber":${JSON.stringify(value)},"expirationDate":"12/29","cvv":"123"}]\n`],
	['SIMPLEJSON', (value) => `{"cvv":123,"card":"${unicode(value)}","expirationDate":"12/29"}`],
	[
		'SIMPLEJSON',
		(value) => `{"card":{"number":${JSON.stringify(value).replaceAll('/', '\\/')},"name":"A \\"B\\"","cvv":"123"}}`,
	],
	['TADC', (value) => `<T><PaymentCard><CardNumber>${escaped(value)}</CardNumber><CVV>123</CVV></PaymentCard></T>`],
	['TADC', (value) => `<T><PaymentCard CardNumber="${escaped(value)}" CVV="123" ExpireDate="1229"/></T>`],
	[
		'TADC',
		(value) => `<T><Card><Number>${cdata(value)}</Number><ExpireDate>1229</ExpireDate><CVV>123</CVV></Card></T>`,
	],
];
