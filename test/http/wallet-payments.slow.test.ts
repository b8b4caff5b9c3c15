// Tests what happens if a session of the payments library is carried out more than once, or not to its end.

import test from 'ava';
import { ServiceError } from '../../src/base/errors.ts';
import type { HttpApp } from '../helpers/http-app.ts';
import {
	beginSession,
	CHARGE,
	CHARGE_AND_TOKENIZE,
	countCards,
	listPayments,
	lookAtSession,
	MASTERCARD,
	openWalletApp,
	REJECTED,
	readResults,
	sendCard,
} from '../helpers/wallet-calls.ts';

const MINUTE_MS = 60_000;

/** Makes an account that has so many units. */
const limited = (parts: HttpApp, allowanceLimit: number) => parts.createCaller('limited', { allowanceLimit });

test('a bad card is listed in errors, costs nothing and leaves the session as it was', async (t) => {
	const { parts } = await openWalletApp(t);
	const caller = await limited(parts, 2);
	const token = await beginSession(caller, CHARGE_AND_TOKENIZE);
	for (const [card, errors] of [
		[{ Number: '4111111111111112' }, { 'BankCard.Number': ['Luhn (Mod10) error'] }],
		[{ ExpirationDate: { Month: '01', Year: '2020' } }, { 'BankCard.ExpirationDate': ['Expired card'] }],
		[{ CVV: '12' }, { 'BankCard.CVV': ['CVV must be 3 or 4 digits'] }],
		[{ ExpirationDate: null }, { 'BankCard.ExpirationDate': ['is required'] }],
	] as const) {
		const response = await sendCard(parts, token, card);
		t.is(response.statusCode, 400);
		t.deepEqual(response.json(), { errors });
	}
	t.is((await sendCard(parts, token)).json().status, 'completed');
	t.is((await parts.identity.accounts.get('limited')).allowanceUsed, 2);
});

test('a completed session answers its result again, and does nothing more', async (t) => {
	const { parts } = await openWalletApp(t);
	const caller = await limited(parts, 2);
	const token = await beginSession(caller, CHARGE_AND_TOKENIZE);
	const first = await sendCard(parts, token);
	const again = await sendCard(parts, token, { Number: MASTERCARD });
	t.is(again.statusCode, 200, again.body);
	t.is(again.body, first.body);
	t.deepEqual([await countCards(caller), (await listPayments(caller)).length], [1, 1]);
	t.is((await parts.identity.accounts.get('limited')).allowanceUsed, 2);
});

test('a payment that was refused may be tried again, and a card is stored only with one that was taken', async (t) => {
	const { parts, caller } = await openWalletApp(t);
	const token = await beginSession(caller, CHARGE_AND_TOKENIZE);
	const refused = await sendCard(parts, token, REJECTED);
	t.is(refused.statusCode, 200);
	t.like(refused.json(), { status: 'failed', tokenAndMaskedCardModel: null });
	t.is(refused.json().upgChargeResults.OperationResultCode, 'Rejected');
	t.is(await countCards(caller), 0);
	t.is((await readResults(caller, token)).status, 'failed');
	t.is((await lookAtSession(parts, token)).json().status, 'failed');
	t.is((await sendCard(parts, token)).json().status, 'completed');
	t.is(await countCards(caller), 1);
	t.deepEqual(
		(await listPayments(caller)).map(({ State }: { State: string }) => State),
		['declined', 'approved'],
	);
});

test('a session takes five refused payments: nobody tries out numbers with it', async (t) => {
	const { parts, caller } = await openWalletApp(t);
	const token = await beginSession(caller, CHARGE);
	for (let count = 0; count < 5; count++) {
		t.is((await sendCard(parts, token, REJECTED)).json().status, 'failed');
	}
	const response = await sendCard(parts, token);
	t.is(response.statusCode, 400);
	t.deepEqual(response.json(), { errors: { session: ['no further attempt is accepted in this session'] } });
	t.is((await listPayments(caller)).length, 5);
});

test('a payment whose outcome is not known is never made twice; when it is known the session goes on', async (t) => {
	const { parts, caller } = await openWalletApp(t);
	const token = await beginSession(caller, { ...CHARGE, operation: 'CHARGE_AND_TOKENIZE', amount: 10.77 });
	const silent = (await sendCard(parts, token)).json();
	t.like(silent, { status: 'unknown', tokenAndMaskedCardModel: null });
	t.is((await sendCard(parts, token)).json().status, 'unknown');
	const other = await sendCard(parts, token, { Number: MASTERCARD });
	t.deepEqual(other.json(), { errors: { session: ['a payment with another card is in progress'] } });
	t.is((await readResults(caller, token)).status, 'unknown');
	t.is((await listPayments(caller)).length, 1);
	parts.clock.turn(2 * MINUTE_MS);
	await parts.gateway.settle();
	// The sandbox leaves the outcome of this amount unknown at first, and later reports the payment as done.
	t.is((await readResults(caller, token)).status, 'paid');
	t.is((await sendCard(parts, token)).json().status, 'completed');
	t.deepEqual([await countCards(caller), (await listPayments(caller)).length], [1, 1]);
});

test('calls at the same moment: one does it, the others are told', async (t) => {
	const { parts, caller } = await openWalletApp(t);
	const token = await beginSession(caller, CHARGE_AND_TOKENIZE);
	const responses = await Promise.all(Array.from({ length: 6 }, () => sendCard(parts, token)));
	for (const response of responses) {
		if (response.statusCode === 400)
			t.deepEqual(response.json(), { errors: { session: ['another call is under way'] } });
		else t.is(response.json().status, 'completed');
	}
	t.true(responses.some(({ statusCode }) => statusCode === 200));
	t.deepEqual([await countCards(caller), (await listPayments(caller)).length], [1, 1]);
});

test('a payment that a dead daemon had begun is continued after a minute, without charging again', async (t) => {
	const { parts, caller } = await openWalletApp(t);
	const token = await beginSession(caller, CHARGE_AND_TOKENIZE);
	const { store } = parts.vault;
	Object.assign(parts.vault, {
		store: async () => {
			throw new ServiceError('bad-input-data', { moreInfo: 'the daemon has died' });
		},
	});
	t.is((await sendCard(parts, token)).statusCode, 400);
	Object.assign(parts.vault, { store });
	// The session now looks as right after the gateway had answered, with the claim of a daemon that has died.
	const until = parts.clock.now().getTime() + MINUTE_MS;
	await parts.database.knex('wallet_sessions').update({ claim: 'dead', claimed_until: until, transaction_id: null });
	t.is((await sendCard(parts, token)).statusCode, 400);
	t.is((await readResults(caller, token)).status, 'open');
	parts.clock.turn(MINUTE_MS);
	t.is((await readResults(caller, token)).status, 'unknown');
	const done = (await sendCard(parts, token)).json();
	t.is(done.status, 'completed');
	t.is(done.upgChargeResults.OperationResultCode, 'Success');
	t.is((await listPayments(caller)).length, 1);
});

test('shapes §1: Idempotency-Key brings the first answer again, a refused payment too, and belongs to one session', async (t) => {
	const { parts } = await openWalletApp(t);
	const caller = await limited(parts, 4);
	const token = await beginSession(caller, CHARGE);
	const key = { 'idempotency-key': 'key-1' };
	const first = await sendCard(parts, token, REJECTED, key);
	const again = await sendCard(parts, token, REJECTED, key);
	t.is(first.json().status, 'failed');
	t.is(again.body, first.body);
	t.is((await listPayments(caller)).length, 1);
	t.is((await parts.identity.accounts.get('limited')).allowanceUsed, 1);
	const other = await sendCard(parts, await beginSession(caller, CHARGE), REJECTED, key);
	t.is(other.json().status, 'failed');
	t.is((await listPayments(caller)).length, 2);
	t.is((await sendCard(parts, token, {}, { 'idempotency-key': 'key-2' })).json().status, 'completed');
	t.is((await parts.identity.accounts.get('limited')).allowanceUsed, 3);
	// The account can still use this key, so whoever has a page open cannot use up the keys of the account.
	const block = { payload: { Payload: 'x' }, headers: { ...key, accept: 'application/json' } };
	t.is((await caller.inject('POST', '/api/datablocks', block)).statusCode, 201);
});

test('shapes §11: a unit for a payment, a unit for a card; a refused payment stores no card', async (t) => {
	const { parts } = await openWalletApp(t);
	const caller = await limited(parts, 4);
	const used = async () => (await parts.identity.accounts.get('limited')).allowanceUsed;
	await sendCard(parts, await beginSession(caller, { operation: 'TOKENIZE' }));
	t.is(await used(), 1);
	const both = await beginSession(caller, CHARGE_AND_TOKENIZE);
	await sendCard(parts, both, REJECTED);
	t.is(await used(), 2);
	await sendCard(parts, both);
	t.is(await used(), 4);
	const refused = await sendCard(parts, await beginSession(caller, CHARGE));
	t.is(refused.statusCode, 403);
	t.like(refused.json(), { code: -1003, message: null });
	t.is(await used(), 4);
});
