// Tests spec §2.4, shapes §2: what a card may be, through the endpoint that stores one. Every way to write a bad one is
// tested in test/http/card-body.test.ts.

import test, { type ExecutionContext } from 'ava';
import { cardXml, postCard, storeCard, VISA, xml } from '../helpers/card-calls.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { standsAlone } from '../helpers/stands-alone.ts';

const CARD = '/api/payments/paycard';

async function open(t: ExecutionContext) {
	const parts = await openHttpApp(t);
	return { parts, caller: await parts.createCaller('agency') };
}

/** Returns a number of that many digits that passes Luhn. */
function numberOf(length: number): string {
	const body = '4'.padEnd(length - 1, '1');
	for (let check = 0; ; check++) {
		const digits = [...`${body}${check}`].reverse().map(Number);
		const sum = digits.reduce((total, digit, n) => total + (n % 2 ? digit * 2 - (digit > 4 ? 9 : 0) : digit), 0);
		if (sum % 10 === 0) return `${body}${check}`;
	}
}

for (const [length, status] of [
	[11, 400],
	[12, 201],
	[19, 201],
	[22, 201],
	[23, 400],
]) {
	test(`spec §2.4, §8: a number of ${length} digits is ${status === 201 ? 'stored' : 'refused'}`, async (t) => {
		const { caller } = await open(t);
		const number = numberOf(length);
		const response = await postCard(caller, '', { Number: number, Type: undefined });
		t.is(response.statusCode, status, response.body.replaceAll(/\d{6,}/g, ''));
		if (status !== 201) return;
		const masked = number.slice(0, 6) + '*'.repeat(length - 10) + number.slice(-4);
		t.is(response.json().BankCard.Number, masked, 'shapes §2: first six, asterisks, last four');
	});
}

test('spec §2.4: a card is good until the end of its month', async (t) => {
	const { parts, caller } = await open(t);
	const [year, month] = parts.clock.now().toISOString().split('-');
	const card = { ExpirationDate: { Month: month, Year: year } };
	t.is((await postCard(caller, '', card)).statusCode, 201);
	parts.clock.turn(Date.UTC(Number(year), Number(month), 1, 12) - parts.clock.now().getTime() + 86_400_000);
	const expired = await postCard(caller, '', card);
	t.deepEqual([expired.statusCode, expired.json().moreInfo], [400, 'BankCard.ExpirationDate: Expired card']);
});

const TYPES =
	'Unspecified, AMEX, BC, CartaSi, Dankort, Delta, DinersClub, Discover, Electron, Elo, enRoute, Hipercard, JCB, Maestro, MasterCard, Switch, Troy, UATP, UnionPay, Visa';
const CODES = 'AX, VI, CA, MC, IK, EC, DC, DS, JC, JB, TP, TO, UP, CB, BC, SW, XS';

test('shapes §2: every card type and every code of the travel systems is known, and a type is answered by its name', async (t) => {
	const { caller } = await open(t);
	const names = TYPES.split(', ');
	for (const type of [...names, ...CODES.split(', ')]) {
		const response = await postCard(caller, '', { Type: type });
		t.is(response.statusCode, 201, type);
		const { Type } = response.json().BankCard;
		t.true(names.includes(Type), type);
		if (names.includes(type)) t.is(Type, type);
	}
	const codes: Record<string, string> = { AX: 'AMEX', VI: 'Visa', IK: 'MasterCard', DC: 'DinersClub', DS: 'Discover' };
	for (const [code, name] of Object.entries({ ...codes, JB: 'JCB', TP: 'UATP', UP: 'UnionPay' })) {
		t.is((await postCard(caller, '', { Type: code })).json().BankCard.Type, name);
	}
});

test('shapes §2: the example of the page is taken as it stands, and each optional element may be left out', async (t) => {
	const { caller } = await open(t);
	const elements = [
		'<Type>Visa</Type>',
		'<Virtual isMultiuse="false" currency="AUD" maxAmount="500"/>',
		`<Number>${VISA}</Number>`,
		'<NameOnCard>A HOLDER</NameOnCard>',
		'<ExpirationDate><Month>04</Month><Year>2030</Year></ExpirationDate>',
		'<IssueNumber>2</IssueNumber>',
		'<OwnerID>id</OwnerID>',
		'<CVV>306</CVV>',
	];
	for (const left of [undefined, ...elements]) {
		const given = elements.filter((element) => element !== left).join('');
		const response = await caller.inject('POST', CARD, xml(cardXml(given)));
		t.is(response.statusCode, /Number>4|Expiration/.test(left ?? '') ? 400 : 201, left);
		t.notRegex(response.body, standsAlone('306'), 'no CVV comes back');
	}
});

test('shapes §2: elements are taken in their order and in no other', async (t) => {
	const { caller } = await open(t);
	const elements = [
		`<Number>${VISA}</Number>`,
		'<NameOnCard>A HOLDER</NameOnCard>',
		'<ExpirationDate><Month>04</Month><Year>2030</Year></ExpirationDate>',
		'<OwnerID>id</OwnerID>',
	];
	for (let n = 0; n < elements.length - 1; n++) {
		const swapped = elements.with(n, elements[n + 1]).with(n + 1, elements[n]);
		const response = await caller.inject('POST', CARD, xml(cardXml(swapped.join(''))));
		t.is(response.statusCode, 400);
		t.regex(response.body, /<message>Message badly formatted<\/message><moreInfo>[^<]*BankCard\.\w+: expected before/);
	}
});

test('shapes §1: members are read in any case and written as the page shows them', async (t) => {
	const { caller } = await open(t);
	const payload = `{"bankcard":{"NUMBER":"${VISA}","nameOnCard":"A HOLDER","expirationdate":{"month":"04","YEAR":"2030"}}}`;
	const headers = { 'content-type': 'application/json' };
	const response = await caller.inject('POST', CARD, { headers, payload });
	t.is(response.statusCode, 201);
	t.deepEqual(Object.keys(response.json().BankCard), [
		...['Type', 'Virtual', 'Number', 'NameOnCard', 'ExpirationDate', 'IssueNumber', 'OwnerID'],
	]);
});

test('shapes §3: there is no call that gives a clear card back', async (t) => {
	const { parts, caller } = await open(t);
	const token = await storeCard(caller);
	for (const [url, status] of [
		[`${CARD}/${token}`, 405],
		[`${CARD}/${token}/card`, 404],
		[`${CARD}/${token}/number`, 404],
	] as const) {
		const response = await caller.inject('GET', url);
		t.deepEqual([response.statusCode, response.body], [status, '']);
	}
	for (const url of [`${CARD}/meta`, `${CARD}/meta?format=csv`, `${CARD}/${token}/meta`]) {
		t.false((await caller.inject('GET', url)).body.includes(VISA), url);
	}
	t.false(parts.logText().includes(VISA));
});
