import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { CardNumber } from '../../src/base/card/card-number.ts';
import { Cvv } from '../../src/base/card/clear-cvv.ts';
import type { AccountId } from '../../src/base/database/ids.ts';
import { openKeyRing } from '../../src/base/keys/key-ring.ts';
import { localRootKey } from '../../src/base/keys/providers/local.ts';
import { openLogger } from '../../src/base/log/log.ts';
import { openAudit } from '../../src/trail/audit.ts';
import { openVault } from '../../src/vault/vault.ts';
import { stripeDriver } from '../../src/work/payments/gateway/drivers/stripe.ts';
import { openGateway } from '../../src/work/payments/gateway/gateway.ts';
import { json, storeCard, VISA } from '../helpers/card-calls.ts';
import { databases, openTestDatabase } from '../helpers/database.ts';
import { GATEWAY_PATH } from '../helpers/gateway-calls.ts';
import { ADYEN, CVV, openPayments, pay } from '../helpers/provider-payments.ts';
import { turnableClock } from '../helpers/vault-parts.ts';
import type { CrashSetup } from './crash-child.ts';
import { openStripeServer, STRIPE_KEY } from './servers/stripe-server.ts';

const MINUTE_MS = 60_000;

for (const dialect of databases) {
	test(`an outcome that is not known is settled by a status query (${dialect})`, async (t) => {
		const { parts, caller, stripe, seen } = await openPayments(t, dialect);
		const token = await storeCard(caller, '', { CVV });
		const policy = { CvvRetentionPolicyList: [{ DestinationType: 'Gateway', Quota: 2 }] };
		await caller.inject('PUT', `/api/payments/paycard/${token}/cvvRetentionPolicy`, json(policy));
		stripe.mode = 'lost';
		t.is((await pay(caller, { CardToken: token })).OperationResultCode, 'TemporaryFailure');
		t.is((await parts.database.knex('gateway_attempts').first()).state, 'unknown');
		t.is((await parts.database.knex('cvvs')).length, 1);
		stripe.mode = 'error';
		t.deepEqual(await parts.gateway.settle(), { settled: 0, open: 0 }, 'not before its time');
		parts.clock.turn(MINUTE_MS);
		t.deepEqual(await parts.gateway.settle(), { settled: 0, open: 1 });
		t.deepEqual(await parts.gateway.settle(), { settled: 0, open: 0 }, 'and then not at once again');
		stripe.mode = 'normal';
		parts.clock.turn(2 * MINUTE_MS);
		t.deepEqual(await parts.gateway.settle(), { settled: 1, open: 0 });
		const row = await parts.database.knex('gateway_attempts').first();
		t.like(row, { state: 'approved', result: 'Success', gateway_reference: 'pi_1Contract', due_at: null });
		t.is(row.sealed_credentials, null, 'credentials go once they are not needed');
		t.deepEqual(await parts.database.knex('cvvs'), [], 'the CVV goes with the approval');
		t.deepEqual(seen, [
			{ driver: 'Stripe', operation: 'Charge', result: 'unknown' },
			{ driver: 'Stripe', operation: 'query', result: 'unknown' },
			{ driver: 'Stripe', operation: 'query', result: 'Success' },
		]);
		const actions = await parts.database.knex('audit').where({ action: 'gateway.charge' }).orderBy('seq');
		t.deepEqual(
			actions.map(({ actor, details }) => [actor, JSON.parse(details).result]),
			[
				['agency', 'unknown'],
				['daemon', 'Success'],
			],
		);
	});
}

test('a payment that never arrived fails once the gateway is to be believed', async (t) => {
	const { parts, caller, stripe } = await openPayments(t);
	stripe.mode = 'error';
	const card = { Number: VISA, ExpirationDate: { Month: '04', Year: '2030' } };
	await pay(caller, { Card: card });
	stripe.mode = 'normal';
	parts.clock.turn(MINUTE_MS);
	t.deepEqual(await parts.gateway.settle(), { settled: 0, open: 1 }, 'its search may be late');
	parts.clock.turn(60 * MINUTE_MS);
	t.deepEqual(await parts.gateway.settle(), { settled: 1, open: 0 });
	t.like(await parts.database.knex('gateway_attempts').first(), { state: 'failed', result: 'TemporaryFailure' });
});

test('a gateway that cannot be asked about payments leaves them unknown, and is asked less and less often', async (t) => {
	const { parts, caller, adyen } = await openPayments(t);
	const card = { Number: VISA, ExpirationDate: { Month: '04', Year: '2030' } };
	const paid = await pay(caller, { ...ADYEN, Card: card, OperationType: 'PreAuth' });
	adyen.mode = 'lost';
	await pay(caller, { ...ADYEN, OperationType: 'Capture', GatewayReference: paid.GatewayReference });
	await pay(caller, { ...ADYEN, Card: card });
	adyen.mode = 'normal';
	parts.clock.turn(MINUTE_MS);
	t.deepEqual(await parts.gateway.settle(), { settled: 1, open: 1 }, 'a capture may be sent again, a payment not');
	t.is(adyen.payments.length, 2);
	t.is(adyen.modifications.length, 1);
	const waits: number[] = [];
	for (let i = 0; i < 4; i++) {
		const { due_at } = await parts.database.knex('gateway_attempts').where({ state: 'unknown' }).first();
		waits.push((due_at - parts.clock.now().getTime()) / MINUTE_MS);
		parts.clock.turn(due_at - parts.clock.now().getTime());
		await parts.gateway.settle();
	}
	t.deepEqual(waits, [1, 2, 4, 8]);
});

test('an order whose key the gateway has forgotten is not sent again, because it would be carried out twice', async (t) => {
	const { parts, caller, adyen } = await openPayments(t);
	const card = { Number: VISA, ExpirationDate: { Month: '04', Year: '2030' } };
	const paid = await pay(caller, { ...ADYEN, Card: card });
	adyen.mode = 'lost';
	await pay(caller, { ...ADYEN, OperationType: 'Refund', GatewayReference: paid.GatewayReference });
	adyen.mode = 'normal';
	const { length } = adyen.asked;
	parts.clock.turn(7 * 24 * 60 * MINUTE_MS);
	t.deepEqual(await parts.gateway.settle(), { settled: 0, open: 1 });
	t.is(adyen.asked.length, length);
	t.like(await parts.database.knex('gateway_attempts').where({ operation: 'Refund' }).first(), {
		...{ state: 'unknown', due_at: null },
	});
});

test('an outcome is asked for with what was sent: a renewed key finds it, one of another contract says nothing', async (t) => {
	const { parts, caller, stripe } = await openPayments(t);
	const keep = (SecretKey: string) =>
		caller.inject('PUT', `${GATEWAY_PATH}/credentials/main`, json({ Name: 'Stripe', Credentials: { SecretKey } }));
	await keep(STRIPE_KEY);
	const charge = { OperationType: 'Charge', Amount: 10.23, Currency: 'USD' };
	const card = { Number: VISA, ExpirationDate: { Month: '04', Year: '2030' } };
	stripe.mode = 'lost';
	await caller.inject('POST', `${GATEWAY_PATH}?credentialsId=main`, json({ ...charge, Card: card }));
	stripe.mode = 'normal';
	await keep('sk_test_of_another_account');
	parts.clock.turn(120 * MINUTE_MS);
	t.deepEqual(await parts.gateway.settle(), { settled: 1, open: 0 });
	t.like(await parts.database.knex('gateway_attempts').first(), { state: 'approved' });
	t.is(stripe.intents.length, 1);

	// This charge is sent with a key that the provider no longer accepts when the outcome is asked for. The key that has
	// replaced it belongs to another contract, so the absence of the payment there proves nothing.
	stripe.mode = 'error';
	await caller.inject('POST', `${GATEWAY_PATH}?credentialsId=main`, json({ ...charge, Card: card }));
	stripe.mode = 'normal';
	await keep(STRIPE_KEY);
	parts.clock.turn(120 * MINUTE_MS);
	t.deepEqual(await parts.gateway.settle(), { settled: 0, open: 1 });
});

test('an attempt that two daemons settle at the same time is settled once', async (t) => {
	const { parts, caller, stripe } = await openPayments(t);
	stripe.mode = 'lost';
	await pay(caller, { Card: { Number: VISA, ExpirationDate: { Month: '04', Year: '2030' } } });
	stripe.mode = 'normal';
	parts.clock.turn(MINUTE_MS);
	const [one, two] = await Promise.all([parts.gateway.settle(), parts.gateway.settle()]);
	t.is(one.settled + two.settled, 1);
	const entries = await parts.database.knex('audit').where({ action: 'gateway.charge', actor: 'daemon' });
	t.is(entries.length, 1);
});

test('a daemon that is killed between sending and recording leaves an attempt that is settled', async (t) => {
	const server = await openStripeServer(t);
	server.mode = 'silent';
	const database = await openTestDatabase(t, 'sqlite');
	const rootKey = randomBytes(32);
	const clock = turnableClock(new Date());
	const keyRing = await openKeyRing({
		database,
		root: localRootKey(Buffer.from(rootKey), 'test'),
		environment: 'sandbox',
	});
	const audit = await openAudit({ database, keyRing });
	const vault = await openVault({ database, keyRing });
	const accountId = 1 as AccountId;
	const { token } = await vault.store({
		...{ accountId, creatorId: accountId, actor: 'agency', cvv: new Cvv(CVV) },
		card: { number: new CardNumber(VISA), expiry: 203004, type: 19 } as never,
	});
	const setup: CrashSetup = {
		...{ databaseUrl: database.url, rootKey: rootKey.toString('hex'), stripeBaseUrl: server.baseUrl },
		...{ secretKey: STRIPE_KEY, accountId, token },
	};
	const child = spawn(
		process.execPath,
		[fileURLToPath(new URL('crash-child.ts', import.meta.url)), JSON.stringify(setup)],
		{
			stdio: ['ignore', 'ignore', 'inherit'],
		},
	);
	const exited = once(child, 'exit');
	while (server.asked.length === 0 && child.exitCode === null) await sleep(20);
	child.kill('SIGKILL');
	await exited;
	t.is(server.intents.length, 1, 'the payment was made');
	t.like(await database.knex('gateway_attempts').first(), { state: 'sent', result: null });

	server.mode = 'normal';
	const drivers = [stripeDriver(server.baseUrl)];
	const gateway = openGateway({
		database,
		keyRing,
		vault,
		audit,
		clock,
		drivers,
		logger: openLogger({ level: 'silent' }),
	});
	t.deepEqual(await gateway.settle(), { settled: 0, open: 0 }, 'while its lease lasts, the daemon may still record');
	clock.turn(2 * MINUTE_MS);
	t.deepEqual(await gateway.settle(), { settled: 1, open: 0 });
	t.like(await database.knex('gateway_attempts').first(), { state: 'approved', gateway_reference: 'pi_1Contract' });
	t.deepEqual(await database.knex('cvvs'), []);
	t.true((await audit.verify()).isWhole);
});
