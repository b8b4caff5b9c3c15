import test from 'ava';
import fc from 'fast-check';
import { REFUSALS, WARNINGS } from '../../src/base/card/verdict.ts';
import { type Reason, ServiceError } from '../../src/base/errors.ts';
import { parseJsonBody, parseXmlBody } from '../../src/doors/http/input/request-body.ts';
import { getCard } from '../../src/doors/http/tokens/card-body.ts';
import { FIXTURE_TIME } from '../helpers/begun-database.ts';
import { cardJson, cardXml, VISA } from '../helpers/card-calls.ts';

const DATE = '<ExpirationDate><Month>04</Month><Year>2030</Year></ExpirationDate>';
const NUMBER = `<Number>${VISA}</Number>`;

const readJson = (text: string) => getCard(parseJsonBody(text), FIXTURE_TIME);
const readXml = (text: string) => getCard(parseXmlBody(text), FIXTURE_TIME);

const refused = test.macro((t, read: () => unknown, reason: Reason, moreInfo: string | RegExp) => {
	const error = t.throws(read, { instanceOf: ServiceError })!;
	t.is(error.reason, reason);
	if (typeof moreInfo === 'string') t.is(error.moreInfo, moreInfo);
	else t.regex(error.moreInfo ?? '', moreInfo);
	t.notRegex(error.message, /\d{12}/);
});

const ALL = `<Type>Visa</Type><Virtual isMultiuse="false" currency="AUD" maxAmount="500"/>${NUMBER}<NameOnCard>A HOLDER</NameOnCard>${DATE}<IssueNumber>2</IssueNumber><OwnerID>id</OwnerID><CVV>306</CVV>`;

test('shapes §2: every member of the XML form is read', (t) => {
	const { card, cvv, masked, warning } = readXml(cardXml(ALL));
	t.is(card.number.reveal(), VISA);
	t.is(card.expiry, 203004);
	t.is(cvv?.reveal(), '306');
	t.is(warning, '');
	t.deepEqual(masked, {
		Type: 'Visa',
		Virtual: { '@isMultiuse': false, '@currency': 'AUD', '@maxAmount': '500' },
		Number: '411111******1111',
		NameOnCard: 'A HOLDER',
		ExpirationDate: { Month: '04', Year: '2030' },
		IssueNumber: '2',
		OwnerID: 'id',
	});
});

test('shapes §2: JSON has the same names, attributes with an at sign, in any case', (t) => {
	const { card, masked } = readJson(
		`{"@schemaVersion":"1.0","BANKCARD":{"type":"VI","virtual":{"@ismultiuse":true,"@Currency":"EUR"},"NUMBER":"${VISA}","nameoncard":"A HOLDER","EXPIRATIONDATE":{"MONTH":"04","year":"2030"},"issuenumber":2,"ownerid":"id","cvv":null}}`,
	);
	t.is(card.number.reveal(), VISA);
	t.like(masked, {
		Type: 'Visa',
		Virtual: { '@isMultiuse': true, '@currency': 'EUR' },
		IssueNumber: '2',
		OwnerID: 'id',
	});
});

test('shapes §2: any namespace, or none', (t) => {
	const text = `<a:BankCardDetails xmlns:a="urn:x"><a:BankCard><a:Number>${VISA}</a:Number><b:ExpirationDate xmlns:b="urn:y"><b:Month>04</b:Month><b:Year>2030</b:Year></b:ExpirationDate></a:BankCard></a:BankCardDetails>`;
	t.is(readXml(text).card.number.reveal(), VISA);
});

for (const number of ['4111 1111 1111 1111', '4111-1111-1111-1111', '411111111111 1111  ', '4111 1111 1111-1111 --']) {
	test(`shapes §2: blanks and hyphens are tolerated up to 22 characters: "${number.length}" in "${number.replace(/\d/g, '0')}"`, (t) => {
		t.is(readJson(cardJson({ Number: number })).card.number.reveal(), VISA);
	});
}

const bad = (card: object) => () => readJson(cardJson(card));
const field = (name: string, text: string) => `BankCard.${name}: ${text}`;
const date = (Month?: unknown, Year?: unknown) => ({ ExpirationDate: { Month, Year } });

test(
	'spec §2.4: 23 characters are too many',
	refused,
	bad({ Number: `${VISA}       ` }),
	'bad-input-data',
	field('Number', REFUSALS['too-long']),
);
test(
	'spec §2.4: 11 digits are too few',
	refused,
	bad({ Number: '41111111116' }),
	'bad-input-data',
	field('Number', REFUSALS['too-short']),
);
test('spec §2.4: Luhn', refused, bad({ Number: '4111111111111112' }), 'bad-input-data', field('Number', REFUSALS.luhn));
test(
	'spec §2.4: letters in a number',
	refused,
	bad({ Number: '4111111111111111x' }),
	'bad-input-data',
	field('Number', REFUSALS.luhn),
);
test('spec §7.4: no number', refused, bad({ Number: null }), 'bad-input-data', field('Number', 'is required'));
test(
	'spec §2.4: a card of last month',
	refused,
	bad(date('10', '2026')),
	'bad-input-data',
	field('ExpirationDate', REFUSALS.expired),
);
test(
	'spec §7.4: no month',
	refused,
	bad(date(undefined, '2030')),
	'bad-input-data',
	field('ExpirationDate.Month', 'is required'),
);
test(
	'spec §7.4: month 13',
	refused,
	bad(date('13', '2030')),
	'bad-input-data',
	field('ExpirationDate.Month', 'expected two digits, 01 to 12'),
);
test('spec §7.4: month 00', refused, bad(date('00', '2030')), 'bad-input-data', /Month/);
test('spec §2.4: a month of one digit', refused, bad(date('4', '2030')), 'bad-input-data', /Month/);
test('spec §7.4: no year', refused, bad(date('04')), 'bad-input-data', field('ExpirationDate.Year', 'is required'));
test(
	'spec §2.4: a year of two digits',
	refused,
	bad(date('04', '30')),
	'bad-input-data',
	field('ExpirationDate.Year', 'expected four digits'),
);
test(
	'spec §7.4: a year out of range',
	refused,
	bad(date('04', '9999')),
	'bad-input-data',
	field('ExpirationDate.Year', 'out of range'),
);
test(
	'spec §7.4: no expiry',
	refused,
	bad({ ExpirationDate: null }),
	'bad-input-data',
	field('ExpirationDate', 'is required'),
);
test('spec §7.4: CVV of two digits', refused, bad({ CVV: '12' }), 'bad-input-parameter', field('CVV', REFUSALS.cvv));
test(
	'spec §7.4: CVV of five digits',
	refused,
	bad({ CVV: '12345' }),
	'bad-input-parameter',
	field('CVV', REFUSALS.cvv),
);
test('spec §7.4: CVV with letters', refused, bad({ CVV: '12a' }), 'bad-input-parameter', /CVV/);
test('spec §7.4: CVV of stars', refused, bad({ CVV: '***' }), 'bad-input-parameter', /CVV/);
test(
	'a name that is a card number',
	refused,
	bad({ NameOnCard: VISA }),
	'bad-input-data',
	/NameOnCard: looks like a card number/,
);
test(
	'an amount whose digits are a card number',
	refused,
	bad({ Virtual: { '@maxAmount': '37828224631.0005' } }),
	'bad-input-data',
	/Virtual\.@maxAmount: looks like a card number/,
);
test(
	'a currency of two letters',
	refused,
	bad({ Virtual: { '@currency': 'EU' } }),
	'bad-input-data',
	/Virtual\.@currency/,
);
test('shapes §2: no BankCard', refused, () => readJson('{}'), 'bad-input-data', 'BankCard: is required');
test('no body', refused, () => getCard(undefined, FIXTURE_TIME), 'bad-input-data', /body/);

const badXml = (elements: string) => () => readXml(cardXml(elements));
test(
	'spec §7.4: XML order: the number after the name',
	refused,
	badXml(`<NameOnCard>A</NameOnCard>${NUMBER}${DATE}`),
	'message-malformed',
	'BankCard.Number: expected before NameOnCard',
);
test(
	'spec §7.4: XML order: every failing element is listed',
	refused,
	badXml(`<CVV>306</CVV>${DATE}${NUMBER}`),
	'message-malformed',
	'BankCard.ExpirationDate: expected before CVV; BankCard.Number: expected before CVV',
);
test(
	'spec §7.4: XML order: year before month',
	refused,
	badXml(`${NUMBER}<ExpirationDate><Year>2030</Year><Month>04</Month></ExpirationDate>`),
	'message-malformed',
	'BankCard.ExpirationDate.Month: expected before Year',
);
test(
	'spec §7.4: XML: an unknown element',
	refused,
	badXml(`${NUMBER}<Pin>1</Pin>${DATE}`),
	'message-malformed',
	'BankCard.Pin: not expected',
);
test(
	'spec §7.4: XML: an element twice',
	refused,
	badXml(`${NUMBER}${NUMBER}${DATE}`),
	'message-malformed',
	'BankCard.Number: expected only once',
);
test(
	'spec §7.4: XML: elements inside a number',
	refused,
	badXml(`<Number><b>4</b></Number>${DATE}`),
	'message-malformed',
	'BankCard.Number.b: not expected',
);
test('spec §7.4: XML: no number', refused, badXml(DATE), 'message-malformed', 'BankCard.Number: missing');
test(
	'spec §7.4: XML: another root',
	refused,
	() => readXml('<Card/>'),
	'message-malformed',
	'BankCardDetails: expected as root',
);
test(
	'spec §7.4: XML: a name that holds a number is not repeated',
	refused,
	badXml(`${NUMBER}<n${VISA}/>${DATE}`),
	'message-malformed',
	/not expected/,
);
test(
	'spec §7.4: a month missing in XML is bad input',
	refused,
	badXml(`${NUMBER}<ExpirationDate><Year>2030</Year></ExpirationDate>`),
	'bad-input-data',
	'BankCard.ExpirationDate.Month: is required',
);
test(
	'spec §7.4: an empty expiry in XML is bad input',
	refused,
	badXml(`${NUMBER}<ExpirationDate/>`),
	'bad-input-data',
	'BankCard.ExpirationDate: is required',
);

test('spec §4.1: a missing type and a wrong one are warnings', (t) => {
	t.is(readJson(cardJson({ Type: undefined })).warning, WARNINGS['type-missing']);
	t.is(readJson(cardJson({ Type: 'AMEX' })).warning, WARNINGS['type-mismatch']);
	t.is(readJson(cardJson({ Type: 'Nobody' })).warning, WARNINGS['type-missing']);
	t.is(readJson(cardJson({ Type: undefined })).masked.Type, 'Visa');
});

test('any JSON is answered as a card, or with a 400 that does not contain the number', (t) => {
	fc.assert(
		fc.property(fc.json(), fc.string(), (any, text) => {
			for (const body of [any, `{"BankCard":${any}}`, cardJson({ Number: text, OwnerID: VISA })]) {
				try {
					readJson(body);
				} catch (error) {
					if (!(error instanceof ServiceError) || error.status !== 400) throw error;
					if (error.message.includes(VISA)) throw new Error('the number is in the error');
				}
			}
		}),
	);
	t.pass();
});
