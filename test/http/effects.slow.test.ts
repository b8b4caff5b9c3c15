// Goes through all calls and finds out which effects each of them has on a stored card, and that none has an effect for a
// caller who lacks the permission of src/people/identity/effects.ts.

import test from 'ava';
import type { LightMyRequestResponse } from 'fastify';
import { EFFECTS, type Effect } from '../../src/people/identity/effects.ts';
import type { Permission } from '../../src/people/identity/permissions.ts';
import { asJson, json, VISA } from '../helpers/card-calls.ts';
import { type CallOnCard, callerWithout, type Prepared, type Seen, STORED, watchCall } from '../helpers/effects.ts';
import { CVV_FORM, openForm, submitForm } from '../helpers/form-calls.ts';
import { CHARGE, SANDBOX } from '../helpers/gateway-calls.ts';
import { openPartnership } from '../helpers/third-party.ts';
import { sendCard, WALLET } from '../helpers/wallet-calls.ts';

type Answers = Promise<LightMyRequestResponse | readonly LightMyRequestResponse[]>;

interface Case extends Prepared {
	/** The name of the call in its definition. */
	readonly call: string;
	/** What is sent, where one call has several rows. */
	readonly when?: string;
	readonly effects: readonly Effect[];
	/** True if the call does its other work for a caller who may not see the card, and shows nothing of it. */
	readonly withholds?: true;
	/** True if a use of the CVV is spent, or the CVV is stored, destroyed or treated otherwise. */
	readonly cvv?: true;
	/** True if the answer repeats what the caller has sent, so that it shows nothing that is new to them. */
	readonly isEcho?: true;
	send(on: CallOnCard): Answers;
}

const CARD = '/api/payments/paycard';
const OTHER = { BankCard: { Number: VISA, ExpirationDate: { Month: '04', Year: '2030' } } };
const SAME = { BankCard: { ...STORED, ExpirationDate: { Month: '04', Year: '2030' } } };
const HEAD = 'Name,Card Number,Exp Month,Exp Year\n';
const BYTES = { 'content-type': 'application/octet-stream', accept: 'application/json' };
const WITH_CVV = { payload: '{"card":{"number":"","cvv":""}}' };
const policy = (body: object) => json({ CvvRetentionPolicyList: [], ...body });

/** Sets a CVV policy before the call. */
const withPolicy =
	(body: object): NonNullable<Case['prepare']> =>
	async ({ caller, token }) => {
		const set = await caller.inject('PUT', `${CARD}/${token}/cvvRetentionPolicy`, policy(body));
		if (set.statusCode !== 200) throw new Error(set.body);
	};

/** Makes the call of a row whose path contains the token. */
const onToken =
	(method: 'GET' | 'PUT' | 'DELETE', rest: string, call: object = asJson): Case['send'] =>
	({ caller, token }) =>
		caller.inject(method, `${CARD}/${token}${rest}`, call);
const inBody =
	(path: string, body: (token: string) => object): Case['send'] =>
	({ caller, token }) =>
		caller.inject('POST', path, json(body(token)));

async function showAll({ caller, token, partnership }: CallOnCard, path: string) {
	const page = await caller.inject('GET', `${path}/${token}?showCvv=true`, asJson);
	const base = /"numberPath":"([^"]+)\/number"/.exec(page.body)?.[1];
	if (base === undefined) return page;
	const shown = (what: string) => partnership.parts.app.inject({ method: 'POST', url: `${base}/${what}`, ...json({}) });
	return [page, await shown('number'), await shown('cvv')];
}

async function fillCvvForm({ caller, token, partnership }: CallOnCard, path: string) {
	const success = 'https://shop.example/?n={cardNumber}&e={expiration}&h={cardHolderName}';
	const { page, id } = await openForm(caller, { cardUri: token, success }, path);
	return [page, await submitForm(partnership.parts, { id, path: CVV_FORM }, { cvv: '123' })];
}

async function payAndStore({ caller, partnership }: CallOnCard) {
	const made = await caller.inject('POST', WALLET, json({ operation: 'TOKENIZE', merchantId: 'partner' }));
	return made.statusCode === 200 ? [made, await sendCard(partnership.parts, made.json().token)] : made;
}

const TWO = [{ DestinationType: 'HostName', DestinationData: 'a.example' }, { DestinationType: 'Owner' }];
const REST = { '': '', ByDestinationType: '/Owner', ByDestinationData: '/HostName/a.example' } as const;

const CASES: readonly Case[] = [
	{
		...{ call: 'storeACard', when: 'with merchantId', effects: ['gives-away'] },
		send: ({ caller }) => caller.inject('POST', `${CARD}?merchantId=partner`, json(OTHER)),
	},
	{
		...{ call: 'storeACard', when: 'with elimination', effects: ['tells-known'], cvv: true, isEcho: true },
		send: ({ caller }) => caller.inject('POST', `${CARD}?eliminateCardDuplication=true`, json(SAME)),
	},
	{
		...{ call: 'storeManyCards', when: 'with merchantId', effects: ['gives-away'] },
		send: ({ caller }) => caller.inject('POST', `${CARD}/batch?merchantId=partner`, json([OTHER])),
	},
	{
		...{ call: 'callAThirdPartyAndTokenizeItsAnswer', when: 'with merchantId', effects: ['gives-away'] },
		send: ({ calls }) => calls.capture({ merchantId: 'partner' }),
	},
	{
		...{ call: 'universalTokenization', when: 'with merchantId', effects: ['gives-away'] },
		send: ({ calls, partnership: { party } }) =>
			calls.call(
				'/api/booker/JsonReservations',
				{ targetUri: `${party.url}/book`, merchantId: 'partner' },
				{ payload: '{}' },
			),
	},
	{ call: 'createAPaymentsLibrarySession', effects: ['gives-away'], send: payAndStore },
	{
		...{ call: 'duplicateAToken', effects: ['shows'], withholds: true },
		send: ({ caller, token }) => caller.inject('POST', `${CARD}/duplicate?cardUri=${token}`, asJson),
	},
	{
		...{ call: 'duplicateAToken', when: 'with merchantId', effects: ['gives-away', 'shows'], withholds: true },
		send: ({ caller, token }) => caller.inject('POST', `${CARD}/duplicate?cardUri=${token}&merchantId=partner`, asJson),
	},
	{
		...{ call: 'makeANetworkTokenOfACard', effects: ['shows'], withholds: true },
		send: ({ caller, token }) => caller.inject('POST', `${CARD}/networkToken?cardUri=${token}`, asJson),
	},
	{
		...{ call: 'queryTokens', effects: ['shows'] },
		send: ({ caller }) => caller.inject('GET', `${CARD}/meta`, { headers: { accept: 'application/json' } }),
	},
	{ call: 'metadataOfAToken', effects: ['shows'], send: onToken('GET', '/meta') },
	{ call: 'deleteAToken', effects: ['deletes'], send: onToken('DELETE', '') },
	{ call: 'associateATokenWithAMerchant', effects: ['gives-away'], send: onToken('PUT', '/merchants/partner') },
	{
		...{ call: 'dissociateAMerchantFromAToken', effects: ['takes-back'], isShared: true },
		send: onToken('DELETE', '/merchants/partner'),
	},
	{
		...{ call: 'dissociateEveryMerchantFromAToken', effects: ['takes-back'], isShared: true },
		send: onToken('DELETE', '/merchants'),
	},
	{ call: 'clearTheCvvOfACard', effects: ['changes-cvv'], cvv: true, send: onToken('DELETE', '/cvv') },
	{
		...{ call: 'clearTheCvvOfACard', when: 'that takes the card', effects: ['changes-cvv', 'deletes'] },
		prepare: withPolicy({ DeleteCardUponCvvCleanup: true }),
		send: onToken('DELETE', '/cvv'),
	},
	{
		...{ call: 'setTheCvvRetentionPolicyOfACard', effects: ['changes-cvv'], cvv: true },
		send: onToken('PUT', '/cvvRetentionPolicy', policy({ CvvRetentionPolicyList: [{ DestinationType: 'Owner' }] })),
	},
	...(['', '/bank.example'] as const).map(
		(data): Case => ({
			call: `setOneDestinationOfACvvRetentionPolicy${data && 'ByDestinationData'}`,
			...{ effects: ['changes-cvv'], cvv: true },
			send: onToken('PUT', `/cvvRetentionPolicy/HostName${data}`, json({ DestinationData: 'a.example', Quota: 2 })),
		}),
	),
	...(['', 'ByDestinationType', 'ByDestinationData'] as const).map(
		(by): Case => ({
			call: `removeACvvRetentionPolicyOrDestinationsOfIt${by}`,
			...{ effects: ['changes-cvv'], cvv: true },
			prepare: withPolicy({ CvvRetentionPolicyList: TWO }),
			send: onToken('DELETE', `/cvvRetentionPolicy${REST[by]}`),
		}),
	),
	{
		...{ call: 'detokenizeAFile', effects: ['moves-to-file'] },
		send: ({ caller, token }) =>
			caller.inject('POST', '/api/files/detokenize?filter=SIMPLECSV', {
				...{ headers: BYTES, payload: `${HEAD}EVA,${token},04,2030\n` },
			}),
	},
	{
		...{ call: 'relayARequestWithCardsInPlaceOfTokens', effects: ['moves-to-third-party'], cvv: true },
		send: ({ calls, token }) => calls.relay({ cardToken: token }, WITH_CVV),
	},
	{
		...{ call: 'carryOutAGatewayOperation', effects: ['moves-to-gateway'], cvv: true },
		send: inBody('/api/paymentGateway', (CardToken) => ({ ...CHARGE, ...SANDBOX, Card: null, CardToken })),
	},
	{
		...{ call: 'askForACvv', effects: ['shows'], withholds: true },
		async send({ caller, token, partnership }) {
			const body = { SenderID: 'merchant', cardUri: token };
			const made = await caller.inject('POST', '/api/cardrequest/cvv', json(body));
			if (made.statusCode !== 201) return made;
			const page = await partnership.parts.app.inject(new URL(made.json().url).pathname);
			return [made, page];
		},
	},
	{
		...{ call: 'showACard', effects: ['shows-number'], cvv: true },
		send: (on) => showAll(on, '/api/payments/displaycard'),
	},
	{
		...{ call: 'showACardInPaycard', effects: ['shows-number'], cvv: true },
		send: (on) => showAll(on, `${CARD}/displaycard`),
	},
	{
		...{ call: 'makeALinkToACard', effects: ['shows-number'] },
		send: inBody('/api/card-view-request/initView', (cardToken) => ({ cardToken })),
	},
];

/** Calls that act on a card in parts of the system that have tests of their own: what they need is checked below. */
const ELSEWHERE = { relayAFile: 'moves-to-file' } as const satisfies Record<string, Effect>;

/** Calls that have no effect on a stored card; they take neither a token of a card nor the name of an account to give to. */
const WITHOUT_CARDS: readonly string[] = [
	...['whatThisIs', 'listRequests', 'createASessionToken', 'downloadTheServiceCertificate'],
	...['storeADataBlock', 'searchDataBlocks', 'readADataBlock', 'deleteADataBlock'],
	...['tokenizeAFile', 'captureAFile', 'inboundGateway', 'inboundGatewayBelow', 'presetTokenizationProfiles'],
	...['listJobs', 'lookAtAJob', 'readTheReportOfAJob', 'readTheOutputOfAJob', 'processAFailedJobAgain'],
	...['listPaymentGateways', 'listGatewayTransactions', 'readAGatewayTransaction'],
	...['listRoutes', 'readARoute', 'putARoute', 'removeARoute', 'runARoute'],
	...['listEventEndpoints', 'putAnEventEndpoint', 'testAnEventEndpoint', 'rotateTheSecretOfAnEventEndpoint'],
	...['removeAnEventEndpoint', 'putAnEventMailbox', 'listEvents', 'readAnEvent', 'replayEvents'],
	...['listTheRunsOfARoute', 'listTheFilesOfARoute', 'retryFilesOfARoute'],
	...['keepGatewayCredentials', 'readGatewayCredentials', 'removeGatewayCredentials'],
	...['askForACard', 'readACardRequest', 'cancelACardRequest', 'openACardForm', 'openACardFormInPaycard'],
	...['readAPaymentsLibrarySession', 'carryOutAPaymentsLibrarySession', 'readTheResultsOfAPaymentsLibrarySession'],
];
/** Calls that tell how a CVV or an association is treated, and nothing of the card. Their permission is that of changing it. */
const READING_RULES: Readonly<Record<string, Effect>> = {
	listTheMerchantsOfAToken: 'gives-away',
	readTheCvvRetentionPolicyOfACard: 'changes-cvv',
	readTheCvvRetentionPolicyOfACardByDestinationType: 'changes-cvv',
	readTheCvvRetentionPolicyOfACardByDestinationData: 'changes-cvv',
};
/** Forms for a CVV show the card only to callers who may see it; a story below tells so. */
const CVV_FORMS = { openACvvForm: CVV_FORM, openACvvFormInPaycard: `${CARD}/capturecvv` } as const;

const KEEPS_CVV = { account: { cvvRetention: true } };
/** The third party answers with a card for the profile `Partner` and one for a preset. */
const CAPTURED = {
	headers: { 'content-type': 'application/json' },
	body: `{"card":{"number":"${VISA}"},"reservations":[{"payment":{"card":{"number":"${VISA}"}}}]}`,
};

test('every call is in the table of effects, and those without cards take none', async (t) => {
	const { parts } = await openPartnership(t);
	const names = [
		...new Set(CASES.map(({ call }) => call)),
		...[...Object.keys(ELSEWHERE), ...Object.keys(READING_RULES), ...Object.keys(CVV_FORMS), ...WITHOUT_CARDS],
	];
	t.deepEqual(parts.app.calls.map(({ name }) => name).sort(), names.sort());
	for (const { name, params, query, body } of parts.app.calls) {
		const isOfData = name.endsWith('ADataBlock');
		if (!WITHOUT_CARDS.includes(name) || isOfData) continue;
		t.notRegex(JSON.stringify([params, query, body]), /"(cardToken|cardUri|CardToken|merchantId)":/, name);
	}
});

for (const { call, when, effects, withholds, cvv, isEcho, send, ...prepared } of CASES) {
	const title = when === undefined ? call : `${call} ${when}`;
	test(`${title}: ${effects.join(' and ')}, and nothing of it without the permission`, async (t) => {
		const partnership = await openPartnership(t, { ...KEEPS_CVV, answer: CAPTURED });
		await partnership.parts.createCaller('partner');
		const whole = await watchCall(partnership, await callerWithout(partnership), send, prepared);
		t.true(whole.answer.statusCode < 300, whole.answer.body);
		const expected = new Set<Seen>(effects.filter((effect) => effect !== 'changes-cvv'));
		if (cvv) expected.add('touches-cvv');
		if (isEcho) expected.add('shows');
		t.deepEqual([...whole.seen].sort(), [...expected].sort());
		for (const effect of effects) {
			const permission = EFFECTS[effect];
			const narrow = await callerWithout(partnership, permission);
			const { answer, seen } = await watchCall(partnership, narrow, send, prepared);
			if (effect === 'shows' && withholds) {
				t.is(answer.statusCode, 201, answer.body);
				t.deepEqual([...seen].sort(), [...expected].filter((each) => each !== 'shows').sort());
				continue;
			}
			t.is(answer.statusCode, 403, `${permission}: ${answer.body}`);
			t.true(answer.body.includes(`Permission ${permission} is required`), answer.body);
			t.deepEqual([...seen], [], permission);
		}
	});
}

test('calls whose effects other tests watch, and those that read rules, ask for the permission of the effect', async (t) => {
	const { parts } = await openPartnership(t);
	for (const [name, effect] of Object.entries({ ...ELSEWHERE, ...READING_RULES }))
		t.is(parts.app.calls.find((call) => call.name === name)?.needs.permission, EFFECTS[effect], name);
});

for (const [name, path] of Object.entries(CVV_FORMS)) {
	test(`${name}: the page and the address after success show the card only to callers who may see it`, async (t) => {
		const partnership = await openPartnership(t, KEEPS_CVV);
		await partnership.parts.identity.origins.add('merchant', 'https://shop.example', 'operator test');
		const open = (on: CallOnCard) => fillCvvForm(on, path);
		const whole = await watchCall(partnership, await callerWithout(partnership), open);
		t.deepEqual([...whole.seen].sort(), ['shows', 'touches-cvv']);
		const blind = await watchCall(partnership, await callerWithout(partnership, 'QueryTokens'), open);
		t.is(blind.answer.statusCode, 200);
		t.deepEqual([...blind.seen], ['touches-cvv']);
		const without = await watchCall(partnership, await callerWithout(partnership, 'Tokenize'), open);
		t.is(without.answer.statusCode, 403);
		t.deepEqual([...without.seen], []);
	});
}

test('a form that comes upon a card stored before shows it only to callers who may see it', async (t) => {
	const partnership = await openPartnership(t);
	await partnership.parts.identity.origins.add('merchant', 'https://shop.example', 'operator test');
	const success = 'https://shop.example/?h={cardHolderName}';
	const fill = async ({ caller }: CallOnCard) => {
		const { page, id } = await openForm(caller, { success, eliminateCardDuplication: 'true' });
		const typed = { cardNumber: STORED.Number, expiry: '04 / 30', cvv: '123', nameOnCard: 'SOMEBODY ELSE' };
		return [page, await submitForm(partnership.parts, { id }, typed)];
	};
	const seenBy = async (permission?: Permission) =>
		(await watchCall(partnership, await callerWithout(partnership, permission), fill)).seen;
	t.true((await seenBy()).has('shows'));
	t.false((await seenBy('QueryTokens')).has('shows'));
});

test('a repeated call with an idempotency key shows a caller no more than they may see', async (t) => {
	const partnership = await openPartnership(t);
	const token = await partnership.store(STORED);
	const key = { accept: 'application/json', 'idempotency-key': 'copy-1' };
	const copy = async (permission?: Permission) => {
		const caller = await callerWithout(partnership, permission);
		return caller.inject('POST', `${CARD}/duplicate?cardUri=${token}`, { headers: key });
	};
	const whole = await copy();
	t.regex(whole.body, /4444/);
	t.is((await copy()).body, whole.body);
	const blind = await copy('QueryTokens');
	t.is(blind.statusCode, 400);
	t.notRegex(blind.body, /4444/);
});
