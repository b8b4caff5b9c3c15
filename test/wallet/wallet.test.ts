import test, { type ExecutionContext } from 'ava';
import { CardNumber } from '../../src/base/card/card-number.ts';
import { findCardType } from '../../src/base/card/names/brand-names.ts';
import type { ServiceError } from '../../src/base/errors.ts';
import type { Vault } from '../../src/vault/vault.ts';
import { type Money, readMoney } from '../../src/work/payments/gateway/money.ts';
import type { SessionPlan } from '../../src/work/payments/wallet/session.ts';
import { openWallet, type WalletCard, type WalletOptions } from '../../src/work/payments/wallet/wallet.ts';
import { VISA } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { openHttpApp } from '../helpers/http-app.ts';

const PLAN: SessionPlan = {
	...{ operation: 'CHARGE_AND_TOKENIZE', amount: readMoney('10.23', 'USD') as Money, gateway: 'Sandbox' },
	...{ credentialsId: undefined, myRef: undefined, reference: undefined, merchantId: undefined },
	...{ saveCvv: undefined, cardTypes: undefined },
};

const EVERY = { from: 0, num: 9 };

function newCard(number = VISA, onUsed = () => {}): WalletCard {
	const card = { number: new CardNumber(number), expiry: 203004, type: findCardType('Visa')! } as const;
	const masked = { Number: card.number.masked() };
	return { card, cvv: undefined, keptCvv: undefined, masked, onUsed };
}

async function open(t: ExecutionContext, dialect: 'sqlite' | 'postgres', changed: Partial<WalletOptions> = {}) {
	const parts = await openHttpApp(t, dialect, { gateway: { deadlineMs: 300 } });
	const { apiKey } = await parts.createCaller('agency');
	const caller = (await parts.identity.authenticate({ kind: 'api-key', secret: apiKey }))!;
	const wallet = openWallet({ ...parts, ...changed });
	const secret = (await wallet.create(caller, PLAN)).secret.reveal();
	const { session, principal } = (await wallet.authenticate(secret))!;
	return { parts, wallet, session, principal, caller, secret };
}

for (const dialect of databases) {
	test(`a session acts for the key that made it, and ends with it (${dialect})`, async (t) => {
		const { parts, wallet, principal, caller, secret, session } = await open(t, dialect);
		t.like(principal, { userId: 'agency', ownerId: caller.ownerId, apiKeyId: caller.apiKeyId });
		t.deepEqual(principal.permissions, caller.permissions);
		t.like(session, { operation: 'CHARGE_AND_TOKENIZE', gateway: 'Sandbox', isCompleted: false });
		t.is(session.amount?.text, '10.23');
		await parts.identity.apiKeys.revoke(await parts.identity.accounts.get('agency'), 'operator test');
		t.is(await wallet.authenticate(secret), undefined);
	});

	test(`a card that could not be stored after its payment is stored by the next call, and paid once (${dialect})`, async (t) => {
		const { parts, wallet, session, principal, caller, secret } = await open(t, dialect);
		const failing = openWallet({
			...parts,
			vault: { ...parts.vault, store: async () => Promise.reject(new Error('the database is away')) },
		});
		let used = 0;
		const card = () => newCard(VISA, () => void used++);
		await t.throwsAsync(failing.carryOut(session, principal, card()), { message: 'the database is away' });
		t.is(used, 1, 'the payment');
		const between = await wallet.findResult(caller, secret);
		t.like(between, { status: 'paid', stored: undefined });
		t.is(between?.transaction?.state, 'approved');
		const done = await wallet.carryOut(session, principal, card());
		t.is(done.status, 'completed');
		t.is(used, 2, 'the card');
		t.is(done.transaction?.id, between?.transaction?.id);
		t.is((await parts.gateway.list(caller.ownerId, { from: 0, num: 9 })).length, 1);
		t.is((await wallet.carryOut(session, principal, card())).status, 'completed');
		t.is(used, 2);
	});

	test(`a daemon that dies once the card is stored leaves a completed session, and no second copy (${dialect})`, async (t) => {
		const { parts, wallet, session, principal, caller } = await open(t, dialect);
		const store: Vault['store'] = async (request) => {
			await parts.vault.store(request);
			throw new Error('the daemon died');
		};
		const dying = openWallet({ ...parts, vault: { ...parts.vault, store } });
		await t.throwsAsync(dying.carryOut(session, principal, newCard()), { message: 'the daemon died' });
		const done = await wallet.carryOut(session, principal, newCard());
		t.is(done.status, 'completed');
		t.deepEqual(
			(await parts.vault.list(caller.ownerId, EVERY)).map(({ token }) => token),
			[done.stored!.token],
		);
	});

	test(`a call that lost its session to another stores nothing; cards that come beside it are stored (${dialect})`, async (t) => {
		const { parts, session, principal, caller } = await open(t, dialect);
		const { ownerId: accountId, accountId: creatorId } = caller;
		const store: Vault['store'] = async (request) => {
			await parts.database.knex('wallet_sessions').update({ claim: 'another' });
			const ours = parts.vault.store(request);
			const beside = parts.vault.store({ accountId, creatorId, card: newCard('5555555555554444').card });
			await Promise.allSettled([ours, beside]);
			t.true((await beside).isNew);
			return ours;
		};
		const late = openWallet({ ...parts, vault: { ...parts.vault, store } });
		const error = await t.throwsAsync<ServiceError>(late.carryOut(session, principal, newCard()));
		t.is(error?.moreInfo, 'session: another call is under way');
		t.deepEqual(
			(await parts.vault.list(accountId, EVERY)).map(({ lastDigits }) => lastDigits),
			['4444'],
		);
		t.like(await parts.database.knex('wallet_sessions').first(), { claim: 'another', completed_at: null });
	});

	test(`a payment that could not be begun leaves the session as it was (${dialect})`, async (t) => {
		const { parts, wallet, session, principal } = await open(t, dialect);
		const failing = openWallet({
			...parts,
			gateway: { ...parts.gateway, operate: async () => Promise.reject(new Error('the database is away')) },
		});
		await t.throwsAsync(failing.carryOut(session, principal, newCard()));
		t.is((await wallet.read(session)).status, 'open');
		t.is((await wallet.carryOut(session, principal, newCard('5555555555554444'))).status, 'completed');
	});
}

test('a payment without a name of its own is found by the id of its session', async (t) => {
	const { parts, wallet, session, principal } = await open(t, 'sqlite');
	const { transaction } = await wallet.carryOut(session, principal, newCard());
	const [found] = await parts.gateway.list(principal.ownerId, { myRef: session.id, from: 0, num: 9 });
	t.is(found.id, transaction!.id);
});

test('making a session stands in the audit trail with what it is for, and without its token', async (t) => {
	const { parts, session, secret } = await open(t, 'sqlite');
	const entry = await parts.database.knex('audit').where({ action: 'wallet.session' }).first();
	t.is(entry.subject, `wallet session ${session.id}`);
	t.is(entry.actor, 'agency');
	t.like(JSON.parse(entry.details), { operation: 'CHARGE_AND_TOKENIZE', amountMinor: 1023, currency: 'USD' });
	t.false(JSON.stringify(entry).includes(secret));
});
