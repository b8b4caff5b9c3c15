// Tests what callers are told, field by field, about a bad body that should make a session of the payments library.

import test from 'ava';
import { json, VISA } from '../helpers/card-calls.ts';
import { beginSession, CHARGE, openWalletApp, WALLET, WALLET_TOKENIZE } from '../helpers/wallet-calls.ts';

const invalid = test.macro({
	async exec(t, body: object | string, errors: Record<string, string[]>) {
		const { parts, caller } = await openWalletApp(t);
		await parts.createCaller('stranger');
		const response = await caller.inject('POST', WALLET, json(body));
		t.is(response.statusCode, 400);
		t.deepEqual(response.json(), { errors });
		t.is((await parts.database.knex('wallet_sessions')).length, 0);
	},
	title: (text = '') => `spec §7.2.4: ${text} is listed in errors`,
});
test(
	'an absent amount and currency',
	invalid,
	{ operation: 'CHARGE', gateway: 'Sandbox' },
	{
		...{ amount: ['is required'], currencyCode: ['is required'] },
	},
);
test(
	'an amount that is none',
	invalid,
	{ ...CHARGE, amount: '10,23' },
	{
		amount: ['expected an amount in major units, such as 10.23'],
	},
);
test(
	'an amount finer than its currency',
	invalid,
	{ ...CHARGE, amount: 10.23, currencyCode: 'JPY' },
	{
		amount: ['expected at most 0 decimals'],
	},
);
test(
	'a currency that is none',
	invalid,
	{ ...CHARGE, currencyCode: 'XYZ' },
	{
		currencyCode: ['expected a currency code of ISO 4217, three capital letters'],
	},
);
test('an amount without a currency', invalid, { operation: 'TOKENIZE', amount: 1 }, { currencyCode: ['is required'] });
test(
	'a charge of nothing',
	invalid,
	{ operation: 'CHARGE', amount: 0, currencyCode: 'USD', gateway: 'Sandbox' },
	{ amount: ['expected more than zero'] },
);
test(
	'amounts that are no single value are told once',
	invalid,
	{ operation: 'CHARGE', amount: [1], currencyCode: {}, gateway: 'Sandbox' },
	{ amount: ['expected a single value'], currencyCode: ['expected a single value'] },
);
test(
	'all that is absent of an empty body',
	invalid,
	{},
	{
		operation: ['is required'],
		amount: ['is required unless the operation is TOKENIZE'],
		currencyCode: ['is required unless the operation is TOKENIZE'],
		credentialsId: ['is required unless the operation is TOKENIZE or gateway names one that needs no credentials'],
	},
);
test(
	'an account that nobody is, beside what else is wrong,',
	invalid,
	{ operation: 'TOKENIZE', merchantId: 'nobody', ref: VISA },
	{
		merchantId: ['expected the user ID of an active primary account'],
		ref: ['looks like a card number'],
	},
);
test(
	'an unknown operation',
	invalid,
	{ ...CHARGE, operation: 'REFUND', myRef: VISA },
	{
		myRef: ['looks like a card number'],
		operation: ['expected one of CHARGE, TOKENIZE, CHARGE_AND_TOKENIZE, PREAUTH_AND_TOKENIZE'],
	},
);
test(
	'an absent gateway',
	invalid,
	{ ...CHARGE, gateway: null },
	{
		credentialsId: ['is required unless gateway names one that needs no credentials'],
	},
);
test(
	'a gateway without its credentials',
	invalid,
	{ ...CHARGE, gateway: 'stripe' },
	{
		credentialsId: ['is required: this gateway needs credentials'],
	},
);
test(
	'an unknown credentialsId',
	invalid,
	{ ...CHARGE, gateway: null, credentialsId: 'nobody' },
	{
		credentialsId: ['no such credentials'],
	},
);
test(
	'everything that is wrong',
	invalid,
	{ ...CHARGE, amount: '-1', myRef: VISA, saveCVV: true, ref: 'x' },
	{
		...{ ref: ['only for an operation that stores, not for CHARGE'] },
		...{ saveCVV: ['only for an operation that stores, not for CHARGE'] },
		...{ amount: ['expected an amount in major units, such as 10.23'], myRef: ['looks like a card number'] },
	},
);
test(
	'a CVV to be kept after an authorisation',
	invalid,
	{ ...CHARGE, operation: 'CHARGE_AND_TOKENIZE', saveCVV: true },
	{
		saveCVV: ['a CVV is not kept once a payment was authorised with it'],
	},
);
test(
	'a gateway where nothing is paid',
	invalid,
	{ operation: 'TOKENIZE', gateway: 'Sandbox' },
	{
		gateway: ['only for an operation that pays, not for TOKENIZE'],
	},
);
test(
	'an unknown merchant',
	invalid,
	{ operation: 'TOKENIZE', merchantId: 'nobody' },
	{
		merchantId: ['expected the user ID of an active primary account'],
	},
);
test('a body that cannot be read', invalid, '{"operation"', { body: ['not valid JSON'] });

const badCard = test.macro({
	async exec(t, card: object, errors: Record<string, string[]>) {
		const { parts, caller } = await openWalletApp(t);
		const token = await beginSession(caller);
		const body = JSON.stringify({ BankCard: card });
		const headers = {
			authorization: `Bearer ${token}`,
			accept: 'application/json',
			'content-type': 'application/json',
		};
		const response = await parts.app.inject({ method: 'POST', url: WALLET_TOKENIZE, payload: body, headers });
		t.is(response.statusCode, 400);
		t.deepEqual(response.json(), { errors });
	},
	title: (text = '') => `spec §7.2.4: of a card ${text} every field is listed`,
});
test(
	'without anything',
	badCard,
	{},
	{
		'BankCard.Number': ['is required'],
		'BankCard.ExpirationDate': ['is required'],
	},
);
test(
	'that is wrong throughout',
	badCard,
	{
		...{ Number: '4111111111111112', ExpirationDate: { Month: '13', Year: '30' }, CVV: '12' },
		...{ NameOnCard: VISA, Type: {}, Virtual: { '@currency': 'usd' }, OwnerID: 'x'.repeat(256) },
	},
	{
		'BankCard.Number': ['Luhn (Mod10) error'],
		'BankCard.ExpirationDate.Month': ['expected two digits, 01 to 12'],
		'BankCard.ExpirationDate.Year': ['expected four digits'],
		'BankCard.Type': ['expected a single value'],
		'BankCard.CVV': ['CVV must be 3 or 4 digits'],
		'BankCard.NameOnCard': ['looks like a card number'],
		'BankCard.OwnerID': ['longer than 255 characters'],
		'BankCard.Virtual.@currency': ['expected three capital letters (ISO 4217)'],
	},
);
test(
	'that is over and too short',
	badCard,
	{ Number: '41111111111', ExpirationDate: { Month: '01', Year: '2020' } },
	{
		'BankCard.Number': ['Number has less than 12 digits'],
		'BankCard.ExpirationDate': ['Expired card'],
	},
);
