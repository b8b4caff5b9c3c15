// Tests what every driver promises (src/work/payments/gateway/driver.ts), with servers on this machine in place of the providers.

import { createServer } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import type { AccountId } from '../../../src/base/database/ids.ts';
import { openLogger } from '../../../src/base/log/log.ts';
import { Secret } from '../../../src/base/settings/secret.ts';
import { callDriver } from '../../../src/work/payments/gateway/driver-call.ts';
import { adyenDriver } from '../../../src/work/payments/gateway/drivers/adyen.ts';
import { stripeDriver } from '../../../src/work/payments/gateway/drivers/stripe.ts';
import { type Operation, type Outcome, RESULTS } from '../../../src/work/payments/gateway/operation.ts';
import {
	CVV,
	card,
	context,
	KNOWN,
	openProvider,
	order,
	type Provider,
	type ProviderName,
	providerNames,
	VISA,
} from '../servers/gateways.ts';
import type { Mode } from '../servers/provider-server.ts';

const OTHER_KEY = '6b1f3c1e-3d55-4b6e-9f6c-2f1f6f6f0002';

function certain(t: ExecutionContext, outcome: Outcome | 'unknown' | 'absent'): Outcome {
	if (typeof outcome === 'string') throw new Error(`the outcome is ${outcome}`);
	t.true(RESULTS.includes(outcome.result));
	t.not(outcome.description, '');
	return outcome;
}

async function preAuth(t: ExecutionContext, provider: Provider): Promise<string> {
	const outcome = certain(t, await provider.driver.send(order('PreAuth'), context(provider, { card: card() })));
	t.is(outcome.result, 'Success');
	t.truthy(outcome.gatewayReference);
	return outcome.gatewayReference!;
}

/** Tells whether an operation was approved: it was carried out at once, or accepted to be carried out later. */
function isApproved({ result }: Outcome): boolean {
	return result === 'Success' || result === 'Accepted';
}

const authorises = test.macro(async (t, name: ProviderName) => {
	const provider = await openProvider(t, name);
	const outcome = certain(t, await provider.driver.send(order('Charge'), context(provider, { card: card() })));
	t.is(outcome.result, 'Success');
	t.truthy(outcome.gatewayReference);
	t.truthy(outcome.authorizationCode);
	t.is(provider.payments(), 1);
	const sent = provider.server.text();
	t.true(sent.includes(VISA) && sent.includes(CVV), 'the card goes out');
	t.true(sent.includes('1023') && !sent.includes('10.23'), 'in minor units');
});

const continues = test.macro(async (t, name: ProviderName, operation: Operation) => {
	const provider = await openProvider(t, name);
	const gatewayReference = await preAuth(t, provider);
	const later = { idempotencyKey: OTHER_KEY, known: KNOWN };
	if (operation === 'Refund') {
		const capture = { ...later, idempotencyKey: '6b1f3c1e-3d55-4b6e-9f6c-2f1f6f6f0003' };
		await provider.driver.send(order('Capture', { gatewayReference }), context(provider, capture));
	}
	const outcome = certain(
		t,
		await provider.driver.send(order(operation, { gatewayReference }), context(provider, later)),
	);
	t.true(isApproved(outcome), `${outcome.result}: ${outcome.gatewayResultDescription}`);
	t.truthy(outcome.gatewayReference);
	t.true(provider.server.asked.at(-1)!.path.includes(encodeURIComponent(gatewayReference)) || name === 'Stripe');
});

const declines = test.macro(async (t, name: ProviderName) => {
	const provider = await openProvider(t, name);
	provider.server.mode = 'decline';
	const outcome = certain(t, await provider.driver.send(order('PreAuth'), context(provider, { card: card() })));
	t.is(outcome.result, 'Rejected');
	t.truthy(outcome.gatewayResultCode);
	t.truthy(outcome.gatewayResultDescription);
});

const refusesUnknownPayments = test.macro(async (t, name: ProviderName) => {
	const provider = await openProvider(t, name);
	const asked = order('Refund', { gatewayReference: 'pi_nobody' });
	const outcome = certain(t, await provider.driver.send(asked, context(provider, { known: KNOWN })));
	t.is(outcome.result, 'Rejected');
});

const isBusy = test.macro(async (t, name: ProviderName) => {
	const provider = await openProvider(t, name);
	provider.server.mode = 'busy';
	const outcome = certain(t, await provider.driver.send(order('Charge'), context(provider, { card: card() })));
	t.is(outcome.result, 'TemporaryFailure');
});

const refusesCredentials = test.macro(async (t, name: ProviderName) => {
	const provider = await openProvider(t, name);
	const wrong = Object.fromEntries(Object.entries(provider.credentials).map(([field, value]) => [field, `${value}X`]));
	const outcome = certain(
		t,
		await provider.driver.send(order('Charge'), context({ credentials: wrong }, { card: card() })),
	);
	t.is(outcome.result, 'FatalFailure');
	t.is(provider.payments(), 0);
});

const isUnknown = test.macro(async (t, name: ProviderName, mode: Mode) => {
	const provider = await openProvider(t, name);
	// Connects with an earlier call, so that all of the short deadline is left for the answer.
	if (mode === 'silent') await preAuth(t, provider);
	const before = provider.server.asked.length;
	provider.server.mode = mode;
	const outcome = await provider.driver.send(
		order('Charge'),
		context(provider, { card: card(), deadlineMs: mode === 'silent' ? 3_000 : 20_000 }),
	);
	t.is(outcome, 'unknown');
	t.is(provider.server.asked.length, before + 1, 'it is sent once');
});

const isUnreachable = test.macro(async (t, name: ProviderName) => {
	const provider = await openProvider(t, name);
	// Finds a port on which nothing listens: it was free a moment ago.
	const free = createServer().listen(0, '127.0.0.1');
	await new Promise((resolve) => free.once('listening', resolve));
	const { port } = free.address() as { port: number };
	await new Promise((resolve) => free.close(resolve));
	const address = `http://127.0.0.1:${port}`;
	const driver = name === 'Stripe' ? stripeDriver(address) : adyenDriver(address);
	const outcome = certain(t, await driver.send(order('Charge'), context(provider, { card: card() })));
	t.is(outcome.result, 'TemporaryFailure');
});

const sendsOnce = test.macro(async (t, name: ProviderName) => {
	const provider = await openProvider(t, name);
	provider.server.mode = 'lost';
	t.is(await provider.driver.send(order('Charge'), context(provider, { card: card() })), 'unknown');
	provider.server.mode = 'normal';
	const again = certain(t, await provider.driver.send(order('Charge'), context(provider, { card: card() })));
	t.is(again.result, 'Success');
	t.is(provider.payments(), 1, 'the second sending has the key of the first');
});

const saysNothing = test.macro(async (t, name: ProviderName) => {
	const provider = await openProvider(t, name);
	const { driver, credentials, secrets } = provider;
	const lines: string[] = [];
	const logger = openLogger({ level: 'trace', destination: { write: (line: string) => void lines.push(line) } });
	const seen: string[] = [];
	for (const [mode, given] of [
		['decline', credentials],
		['lost', credentials],
		['garbage', credentials],
		['error', credentials],
		['normal', Object.fromEntries(Object.entries(credentials).map(([field]) => [field, 'sk_wrong_key_0000']))],
	] as const) {
		provider.server.mode = mode;
		const outcome = await callDriver({
			...{ driver, order: order('Charge'), card: card(), deadlineMs: 20_000, logger },
			...{
				accountId: 7 as AccountId,
				attemptId: 'a',
				idempotencyKey: `${OTHER_KEY}${mode}`,
				secrets: [...secrets, 'sk_wrong_key_0000'],
			},
			credentials: Object.fromEntries(Object.entries(given).map(([field, value]) => [field, new Secret(value)])),
		});
		seen.push(JSON.stringify(outcome));
	}
	for (const secret of [VISA, ...secrets, 'sk_wrong_key_0000']) {
		t.false(seen.join('').includes(secret), seen.join('\n'));
		t.false(lines.join('').includes(secret));
	}
	t.notRegex(seen.join(''), /\b737\b/);
});

for (const name of providerNames) {
	test(`${name}: a charge is approved, with reference and code`, authorises, name);
	for (const operation of ['Capture', 'Refund', 'Void'] as const) {
		test(`${name}: a ${operation} of an authorised payment is approved`, continues, name, operation);
	}
	test(`${name}: a decline is an outcome that says why`, declines, name);
	test(`${name}: a refund of no payment is rejected`, refusesUnknownPayments, name);
	test(`${name}: too many requests are a temporary failure`, isBusy, name);
	test(`${name}: wrong credentials are a fatal failure`, refusesCredentials, name);
	for (const mode of ['error', 'garbage', 'lost', 'silent'] as const) {
		test(`${name}: an answer that is ${mode} leaves the outcome unknown`, isUnknown, name, mode);
	}
	test(`${name}: the same key is carried out once`, sendsOnce, name);
	test(`${name}: neither outcomes nor the log hold card data or credentials`, saysNothing, name);
}
for (const name of ['Stripe', 'Adyen'] as const) {
	test(`${name}: without a connection nothing was sent, which is a temporary failure`, isUnreachable, name);
}

for (const name of ['Stripe', 'ExampleAcquirer'] as const) {
	test(`${name}: a payment whose answer was lost is found by a status query`, async (t) => {
		const provider = await openProvider(t, name);
		provider.server.mode = 'lost';
		t.is(await provider.driver.send(order('PreAuth'), context(provider, { card: card() })), 'unknown');
		provider.server.mode = 'normal';
		const found = certain(t, await provider.driver.query!(order('PreAuth'), context(provider)));
		t.is(found.result, 'Success');
		t.truthy(found.gatewayReference);
		t.is(provider.payments(), 1, 'asking does nothing');
	});

	test(`${name}: a payment that never arrived is absent`, async (t) => {
		const provider = await openProvider(t, name);
		t.is(await provider.driver.query!(order('PreAuth'), context(provider)), 'absent');
		provider.server.mode = 'error';
		t.is(await provider.driver.query!(order('PreAuth'), context(provider)), 'unknown');
	});
}

test('Stripe: captures, refunds and voids whose answer was lost are found by a status query', async (t) => {
	const provider = await openProvider(t, 'Stripe');
	const { driver, server } = provider;
	const gatewayReference = await preAuth(t, provider);
	const ask = (operation: Operation) => driver.query!(order(operation, { gatewayReference }), context(provider));
	t.is(await ask('Capture'), 'absent');
	t.is(await ask('Void'), 'absent');
	server.mode = 'lost';
	const later = { idempotencyKey: OTHER_KEY, known: KNOWN };
	t.is(await driver.send(order('Capture', { gatewayReference }), context(provider, later)), 'unknown');
	server.mode = 'normal';
	t.is(certain(t, await ask('Capture')).result, 'Success');
	t.is(await ask('Refund'), 'absent');
	server.mode = 'lost';
	const refund = { ...later, idempotencyKey: `${OTHER_KEY}-r` };
	t.is(await driver.send(order('Refund', { gatewayReference }), context(provider, refund)), 'unknown');
	server.mode = 'normal';
	t.is(certain(t, await ask('Refund')).result, 'Success');
});

test('Stripe: what another capture did is not taken for the one that is asked about', async (t) => {
	const provider = await openProvider(t, 'Stripe');
	const gatewayReference = await preAuth(t, provider);
	const capture = order('Capture', { gatewayReference });
	provider.server.mode = 'error';
	t.is(await provider.driver.send(capture, context(provider, { known: KNOWN })), 'unknown');
	provider.server.mode = 'normal';
	const other = { attemptId: '01kzattempt00000000000000b', idempotencyKey: OTHER_KEY, known: KNOWN };
	t.is(certain(t, await provider.driver.send(capture, context(provider, other))).result, 'Success');
	t.is(await provider.driver.query!(capture, context(provider)), 'absent');
	t.is(certain(t, await provider.driver.query!(capture, context(provider, other))).result, 'Success');
});

test('Adyen: to be turned away when asking says nothing of what was sent', async (t) => {
	const provider = await openProvider(t, 'Adyen');
	const refund = order('Refund', { gatewayReference: await preAuth(t, provider) });
	const wrongs: Record<string, string>[] = [{ ApiKey: 'AQE-that-has-ended' }, { MerchantAccount: 'Another' }];
	for (const wrong of wrongs) {
		const credentials = { ...provider.credentials, ...wrong };
		t.is(certain(t, await provider.driver.send(refund, context({ credentials }))).result, 'FatalFailure');
		t.is(await provider.driver.query!(refund, context({ credentials })), 'unknown');
	}
});

test('Adyen: what continues a payment is asked for by sending it again under its key', async (t) => {
	const provider = await openProvider(t, 'Adyen');
	const { driver, server } = provider;
	const gatewayReference = await preAuth(t, provider);
	server.mode = 'lost';
	const later = { idempotencyKey: OTHER_KEY, known: KNOWN };
	const refund = order('Refund', { gatewayReference });
	t.is(await driver.send(refund, context(provider, later)), 'unknown');
	t.is(await driver.query!(refund, context(provider, later)), 'unknown');
	server.mode = 'normal';
	t.is(certain(t, await driver.query!(refund, context(provider, later))).result, 'Accepted');
	t.is((server as never as { modifications: unknown[] }).modifications.length, 1, 'one refund was made');
	t.is(await driver.query!(order('Charge'), context(provider)), 'unknown', 'payments cannot be asked for');
});
