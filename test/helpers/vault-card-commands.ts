// These commands of the vault's model test make tokens, list them and delete them.

import { deepStrictEqual, match, notStrictEqual, ok, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import type { LightMyRequestResponse } from 'fastify';
import { BATCH, type Line, linesOf } from './batch-calls.ts';
import { asJson, json, tokenOf } from './card-calls.ts';
import { TEST_BASE_URL } from './http-app.ts';
import { command, merchant, nth, pick, queryOf, role, type VaultCommand } from './vault-command.ts';
import {
	badInput,
	badParameter,
	type CardFacts,
	isPayment,
	KEEPS_NO_CVV,
	type Kept,
	keepsCvv,
	NOT_THERE,
	ownerOf,
	PAYMENTS,
	type Refusal,
	type Role,
	type VaultModel,
} from './vault-model.ts';
import { checkRefusal, checkStatus, listedAs, PAYCARD } from './vault-model-world.ts';

const reference = fc.constantFrom('r1', 'r2');
const perhaps = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });

const CARDS = [
	{ number: '4111111111111111', brand: 'Visa' },
	{ number: '5555555555554444', brand: 'MasterCard' },
	{ number: '378282246310005', brand: 'AMEX' },
] as const;
const CARD = fc.record({
	nth: fc.nat(CARDS.length - 1),
	type: fc.constantFrom('right', 'wrong', undefined),
	name: fc.constantFrom('A HOLDER', undefined),
	/** How many months from now the card expires; below 0 it has expired. */
	months: fc.constantFrom(0, 1, 1, 1, 40, 40, 40, -1),
	cvv: fc.constantFrom('306', '306', '1234', '1234', '', undefined, '12'),
});
type AskedCard = typeof CARD extends fc.Arbitrary<infer Asked> ? Asked : never;
const BESIDE = {
	ref: perhaps(reference),
	merchantId: fc.option(merchant, { nil: undefined, freq: 1 }),
	eliminateCardDuplication: fc.constantFrom(true, false, undefined),
	saveCVV: fc.constantFrom(true, false, undefined, undefined),
};

function factsOf(model: VaultModel, { nth, type, name, months }: AskedCard): CardFacts {
	const { number, brand } = CARDS[nth];
	const date = new Date(model.now());
	const expiry = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months)).toISOString().slice(0, 7);
	return { number, type: type === 'wrong' ? 'JCB' : brand, name: name ?? null, expiry };
}

function bodyOf({ number, type, name, expiry }: CardFacts, asked: AskedCard) {
	const [Year, Month] = expiry.split('-');
	const Type = asked.type && type;
	return { BankCard: { Type, Number: number, NameOnCard: name, ExpirationDate: { Month, Year }, CVV: asked.cvv } };
}

function maskedAs(card: CardFacts) {
	const [Year, Month] = card.expiry.split('-');
	const stars = '*'.repeat(card.number.length - 10);
	const masked = `${card.number.slice(0, 6)}${stars}${card.number.slice(-4)}`;
	const ExpirationDate = { Month, Year };
	const nothing = { Virtual: null, IssueNumber: null, OwnerID: null };
	return { BankCard: { Type: card.type, Number: masked, NameOnCard: card.name, ExpirationDate, ...nothing } };
}

const warningOf = ({ type }: AskedCard) =>
	type === 'wrong' ? 'Card type validation message' : type ? undefined : 'The Card type is missing';

/**
 * Checks that a call that stored a card returned the token it should: an earlier one if elimination finds the card, and a
 * new one otherwise. Adds to the model what was stored.
 */
function store(
	model: VaultModel,
	call: { role: Role; token: string; card: CardFacts; cvv?: string; isEliminating: boolean; isSingle: boolean } & {
		ref?: string;
		merchantId?: Role | 'nobody';
	},
): string {
	const { role, token, card, cvv, isEliminating, isSingle, ref, merchantId } = call;
	const known = isEliminating ? model.findDuplicate(role, card) : undefined;
	if (known) strictEqual(token, known.token);
	else
		strictEqual(
			model.all.find((each) => each.token === token),
			undefined,
		);
	const isFindable = isSingle || isEliminating;
	const kept = known ?? model.add({ token, kind: 'card', creator: role, card, isFindable });
	model.attach(kept, { reference: ref, merchant: merchantId, cvv });
	return token;
}

const storeCard = command(
	'store',
	fc.record({ role, card: CARD, ...BESIDE }),
	async ({ role, card: asked, ...beside }, model, world) => {
		const card = factsOf(model, asked);
		const url = `${PAYCARD}?${queryOf(world, beside)}`;
		const response = await world.callers[role].inject('POST', url, json(bodyOf(card, asked)));
		const refusal =
			(model.isExpired(card.expiry) ? badInput('ExpirationDate') : undefined) ??
			(asked.cvv === '12' ? badParameter('CVV') : undefined) ??
			model.refusesMerchant(role, beside.merchantId) ??
			(beside.saveCVV && !keepsCvv(role) ? KEEPS_NO_CVV : undefined);
		if (refusal) {
			checkRefusal(response, refusal);
			return [];
		}
		const isEliminating = beside.eliminateCardDuplication === true;
		const earlier = isEliminating ? model.findDuplicate(role, card) : undefined;
		checkStored(response, earlier?.card ?? card);
		strictEqual(response.headers['x-service-tokenization-warnings'], warningOf(asked));
		const cvv = keepsCvv(role) && beside.saveCVV !== false ? asked.cvv : undefined;
		return [store(model, { ...beside, role, token: tokenOf(response), card, cvv, isEliminating, isSingle: true })];
	},
);

function checkStored(response: LightMyRequestResponse, card: CardFacts): void {
	checkStatus(response, 201);
	match(String(response.headers.location), /^https:\/\/vault\.example\/api\/payments\/paycard\/[0-9a-f]{32}$/);
	deepStrictEqual(response.json(), maskedAs(card));
}

const storeBatch = command(
	'batch',
	fc.record({
		...{ role, ...BESIDE, merchantId: fc.option(merchant, { nil: undefined, freq: 3 }) },
		cards: fc.array(CARD, { minLength: 1, maxLength: 4, size: 'max' }),
		isList: fc.boolean(),
	}),
	async ({ role, cards, isList, ...beside }, model, world) => {
		const bodies = cards.map((asked) => JSON.stringify(bodyOf(factsOf(model, asked), asked)));
		const url = `${BATCH}?${queryOf(world, beside)}`;
		const type = isList ? 'application/json' : 'application/x-ndjson';
		const payload = isList ? `[${bodies.join(',')}]` : bodies.join('\n');
		const headers = { 'content-type': type, accept: 'application/json' };
		const response = await world.callers[role].inject('POST', url, { payload, headers });
		const refusal =
			model.refusesMerchant(role, beside.merchantId) ?? (beside.saveCVV && !keepsCvv(role) ? KEEPS_NO_CVV : undefined);
		if (refusal) {
			checkRefusal(response, refusal);
			return [];
		}
		checkStatus(response, 200);
		const lines = linesOf(response.body);
		strictEqual(lines.length, cards.length, response.body);
		return cards.flatMap((asked, index) => {
			const card = factsOf(model, asked);
			const error = model.isExpired(card.expiry)
				? 'Expired card'
				: asked.cvv === '12'
					? 'CVV must be 3 or 4 digits'
					: null;
			checkLine(lines[index], { index, error, warning: error ? null : (warningOf(asked) ?? null) });
			if (error) return [];
			const cvv = keepsCvv(role) && beside.saveCVV !== false ? asked.cvv : undefined;
			const isEliminating = beside.eliminateCardDuplication === true;
			const { token } = lines[index];
			return [store(model, { ...beside, role, token: token!, card, cvv, isEliminating, isSingle: false })];
		});
	},
);

function checkLine({ token, uri, ...line }: Line, expected: Omit<Line, 'token' | 'uri'>): void {
	deepStrictEqual(line, expected);
	strictEqual(token === null, expected.error !== null);
	strictEqual(uri, token && `${TEST_BASE_URL}${PAYCARD}/${token}`);
}

const duplicate = command(
	'duplicate',
	fc.record({ role, nth, ref: BESIDE.ref, merchantId: BESIDE.merchantId, cvv: fc.constantFrom('789', '', '12') }),
	async ({ role, nth, ...asked }, model, world) => {
		const old = pick(model, nth, role, isPayment);
		const query = queryOf(world, { cardUri: `${TEST_BASE_URL}${PAYCARD}/${old}`, ...asked });
		const response = await world.callers[role].inject('POST', `${PAYCARD}/duplicate?${query}`, asJson);
		const refusal =
			(asked.cvv === '12' ? badParameter('cvv') : undefined) ??
			model.refusesMerchant(role, asked.merchantId) ??
			model.refusesUse(role, old);
		if (refusal) {
			checkRefusal(response, refusal);
			return [old];
		}
		const { card, owner } = model.find(old)! as Kept & { card: CardFacts };
		checkStored(response, card);
		const token = tokenOf(response);
		// A duplicate that an associated account makes gets no fingerprint, so that this account cannot find out its number by
		// elimination.
		const isFindable = owner === ownerOf(role);
		const kept = model.add({ token, kind: 'card', creator: role, card, isFindable });
		const cvv = keepsCvv(role) ? asked.cvv : undefined;
		model.attach(kept, { reference: asked.ref, merchant: asked.merchantId, cvv });
		return [old, token];
	},
);

const networkToken = command(
	'networkToken',
	fc.record({ role, nth, ref: BESIDE.ref }),
	async ({ role, nth, ref }, model, world) => {
		const old = pick(model, nth, role, isPayment);
		const query = queryOf(world, { cardUri: old.toUpperCase(), ref });
		const response = await world.callers[role].inject('POST', `${PAYCARD}/networkToken?${query}`, asJson);
		const card = model.find(old)?.card;
		const refusal = model.refusesUse(role, old) ?? (model.isExpired(card!.expiry) ? badInput('cardUri') : undefined);
		if (refusal) {
			checkRefusal(response, refusal);
			return [old];
		}
		// The network chooses the number that it issues, so its last digits come from the answer; the leading digits stay the
		// same.
		const lastDigits = response.json().BankCard.Number.slice(-4);
		const number = `${card!.number.slice(0, -4)}${lastDigits}`;
		checkStored(response, { ...card!, number });
		const token = tokenOf(response);
		notStrictEqual(token, old);
		const issued = { ...card!, number };
		const kept = model.add({ token, kind: 'network-token', creator: role, card: issued, isFindable: false });
		model.attach(kept, { reference: ref });
		return [old, token];
	},
);

const removeToken = command('delete', fc.record({ role, nth }), async ({ role, nth }, model, world) => {
	const token = pick(model, nth, role, isPayment);
	const response = await world.callers[role].inject('DELETE', `${PAYCARD}/${token}`, asJson);
	const kept = model.find(token);
	// Whether the token exists is checked before its owner, and the kind of its record only for its owner (spec §7.4).
	const refusal: Refusal | undefined = kept ? model.refusesRule(role, token, PAYMENTS) : NOT_THERE;
	if (refusal) checkRefusal(response, refusal);
	else {
		deepStrictEqual([response.statusCode, response.body], [200, '']);
		model.remove(kept!);
	}
	return [token];
});

const QUERY = fc.record({
	role,
	from: perhaps(fc.nat(4)),
	num: perhaps(fc.nat(4)),
	ref: perhaps(reference),
	merchantId: perhaps(merchant),
	format: fc.constantFrom('csv', 'json', undefined),
});
const query = command('query', QUERY, async ({ role, ...asked }, model, world) => {
	const response = await world.callers[role].inject('GET', `${PAYCARD}/meta?${queryOf(world, asked)}`, asJson);
	const asksOfStranger =
		asked.merchantId !== undefined &&
		asked.merchantId !== ownerOf(role) &&
		!model.listOf(role, isPayment).some(({ merchants }) => merchants.has(asked.merchantId as never));
	// A merchant who may use no token of the account looks the same as a missing one (spec §7.4.6).
	const refusal =
		model.refusesMerchant(role, asked.merchantId) ?? (asksOfStranger ? badInput('merchantId') : undefined);
	if (refusal) {
		checkRefusal(response, refusal);
		return [];
	}
	const { from = 0, num = 100, ref, merchantId } = asked;
	const found = model
		.listOf(role, isPayment)
		.filter(({ references }) => ref === undefined || references.has(ref))
		.filter(({ merchants }) => merchantId === undefined || merchants.has(merchantId as never))
		.slice(from, from + num)
		.map((kept) => listedAs(model, world, role, kept));
	checkStatus(response, 200);
	if (asked.format !== 'csv') deepStrictEqual(response.json(), found);
	else {
		const [head, ...rows] = response.body.split('\r\n');
		ok(head.startsWith('CreateDate,CardType,'));
		const cell = (value: unknown) => (Array.isArray(value) ? value.join(';') : String(value ?? ''));
		deepStrictEqual(rows, [...found.map((each) => Object.values(each).map(cell).join(',')), '']);
	}
	return [];
});

/** The commands with which a run begins, so that there are tokens to work with. */
export const OPENING = fc.array(fc.oneof(storeCard, storeCard, storeBatch), { minLength: 4, maxLength: 6 });

export const CARD_COMMANDS: VaultCommand[] = [
	...[storeCard, storeCard, storeCard, storeBatch, storeBatch],
	...[duplicate, networkToken, removeToken, query, query],
];
