// Tests that each event is recorded where what it tells of happens, and has the members that its type says.

import test, { type ExecutionContext } from 'ava';
import { transactPlainly } from '../../src/base/database/plain-transaction.ts';
import { createKey } from '../../src/base/openpgp/keys.ts';
import { EVENT_TYPES, type EventName, type EventType } from '../../src/base/outbox/event-types.ts';
import { loadSettings } from '../../src/base/settings/settings.ts';
import { tellExpiring } from '../../src/installation/upkeep/expiry.ts';
import { tellFullAllowances } from '../../src/people/identity/accounts/allowance.ts';
import type { Token } from '../../src/vault/tokens/token.ts';
import { openPgpKeys } from '../../src/work/pgp/pgp-keys.ts';
import { openProfiles } from '../../src/work/relay/profiles/profiles.ts';
import { json, storeCard, VISA } from '../helpers/card-calls.ts';
import { certificateFor } from '../helpers/certificate-for.ts';
import { databases } from '../helpers/database.ts';
import { makeFolder } from '../helpers/file-parts.ts';
import { type HttpApp, openHttpApp, TEST_BASE_URL } from '../helpers/http-app.ts';
import { runNextJob } from '../helpers/http-jobs.ts';
import { MINIMAL } from '../helpers/profile-problems.ts';
import { openPayments, pay } from '../helpers/provider-payments.ts';
import { FILE, put } from '../http/jobs.setup.ts';

const BY = 'operator test';
const DAY_MS = 86_400_000;
const DEFAULTS = loadSettings({ env: {} });

/** Has an account listen, and returns what reads the events since the last time. */
async function listen(t: ExecutionContext, { database, endpoints }: HttpApp, owner: { id: never; userId: string }) {
	const plan = { name: 'crm', url: 'https://crm.example/', types: undefined, signature: 'v1' as const };
	await endpoints.put({ accountId: owner.id, userId: owner.userId }, plan, BY);
	const seen = new Set<string>();
	return async () => {
		const rows = await database.knex('events').orderBy('id');
		const fresh = rows.filter(({ id }) => !seen.has(id));
		for (const { id } of fresh) seen.add(id);
		return fresh.map(({ body }) => {
			const { type, data } = JSON.parse(body) as { type: EventName; data: Record<string, unknown> };
			const members: EventType['members'] = EVENT_TYPES[type].members;
			for (const [name, { type: expected, isNullable, isOptional }] of Object.entries(members)) {
				const value = data[name];
				if ((value === null && isNullable) || (value === undefined && isOptional)) continue;
				t.is(typeof value, expected === 'integer' ? 'number' : 'string', `${type} ${name}`);
			}
			t.deepEqual(
				Object.keys(data).filter((name) => !Object.hasOwn(members, name)),
				[],
				type,
			);
			return [type, data] as const;
		});
	};
}

for (const dialect of databases) {
	test(`${dialect}: jobs tell that they are done, of refused cards and other numbers, and that they failed`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const caller = await parts.createCaller('agency');
		const told = await listen(t, parts, caller.account as never);
		t.is((await put(caller, FILE, '&name=may.csv')).statusCode, 202);
		t.is(await runNextJob(parts), 'done');
		const [done, refused, ...more] = await told();
		t.is(done[0], 'job.done');
		t.like(done[1], { account: 'agency', filter: 'SIMPLECSV', operation: 'tokenize', cards: 1, refused: 1 });
		t.is(refused[0], 'job.refused_cards');
		t.like(refused[1], { job: done[1].job, refused: 1 });
		t.deepEqual(more, []);
		t.false(JSON.stringify([done, refused]).includes(VISA));
		t.is((await put(caller, `CardNumber,Remark\n${VISA},call ${VISA}\n`, '&name=june.csv')).statusCode, 202);
		t.is(await runNextJob(parts), 'done');
		const [swapped, found, ...rest] = await told();
		t.is(swapped[0], 'job.done');
		t.is(found[0], 'file.other_numbers');
		t.deepEqual(found[1], {
			...{ account: 'agency', job: swapped[1].job, operation: 'tokenize', filter: 'SIMPLECSV' },
			...{ name: 'june.csv', otherNumbers: 1 },
		});
		t.deepEqual(rest, []);
		t.false(JSON.stringify(found).includes(VISA));
		t.is((await put(caller, 'no,header\n1,2\n')).statusCode, 202);
		t.is(await runNextJob(parts), 'failed');
		const [failed] = await told();
		t.is(failed[0], 'job.failed');
		t.like(failed[1], { account: 'agency', reason: 'file-malformed' });
	});

	test(`${dialect}: allowances tell at 80 per cent, once, and when they are used up; a blocked account tells so`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const { account } = await parts.createCaller('agency');
		const told = await listen(t, parts, account as never);
		await parts.database.knex('accounts').where({ id: account.id }).update({ allowance_limit: 10, allowance_used: 7 });
		await tellFullAllowances(parts);
		t.deepEqual(await told(), []);
		await parts.identity.allowance.count({ ownerId: account.id }, 1);
		await tellFullAllowances(parts);
		await tellFullAllowances(parts);
		t.deepEqual(await told(), [['allowance.80', { account: 'agency', used: 8, limit: 10 }]]);
		const payer = { ownerId: account.id, accountId: account.id };
		t.is(await parts.identity.allowance.takeUpTo(payer, 5), 2);
		t.deepEqual(await told(), [
			['allowance.used_up', { account: 'agency', used: 10, limit: 10 }],
			['account.locked', { account: 'agency', cause: 'allowance used up' }],
		]);
		await parts.identity.accounts.unblock('agency', BY);
		await parts.identity.accounts.block('agency', BY);
		await parts.identity.accounts.block('agency', BY);
		t.deepEqual(await told(), [['account.locked', { account: 'agency', cause: 'operator' }]]);
	});

	test(`${dialect}: card requests tell how they end, and a link that shows a card tells that it was opened`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const hotel = await parts.createCaller('hotel');
		const told = await listen(t, parts, hotel.account as never);
		const ask = async (Reference: string) =>
			(await hotel.inject('POST', '/api/cardrequest', json({ SenderID: 'hotel', Reference }))).json().requestID;
		const [first, second] = [await ask('a'), await ask('b')];
		const completeIn = await parts.cardRequests.prepareCompletion(first);
		const token = (await storeCard(hotel)) as Token;
		await transactPlainly(parts.database, (transaction) => completeIn(token, transaction));
		const [completed, ...rest] = await told();
		t.is(completed[0], 'card_request.completed');
		t.like(completed[1], { account: 'hotel', request: first, kind: 'card' });
		t.deepEqual(rest, []);
		parts.clock.turn(400 * DAY_MS);
		await parts.cardRequests.expire();
		const [expired] = await told();
		t.is(expired[0], 'card_request.expired');
		t.like(expired[1], { account: 'hotel', request: second });

		const { url, code, viewID } = (
			await hotel.inject('POST', '/api/card-view-request/initView', json({ cardToken: token }))
		).json();
		const path = `${url.replace(TEST_BASE_URL, '')}/number`;
		t.is((await parts.app.inject({ method: 'POST', url: path, ...json({ code }) })).statusCode, 200);
		t.deepEqual(await told(), [['card_view.opened', { account: 'hotel', view: viewID }]]);
	});

	test(`${dialect}: a payment tells its outcome once it is known`, async (t) => {
		const { parts, caller, stripe } = await openPayments(t, dialect);
		const told = await listen(t, parts, caller.account as never);
		const Card = { Number: VISA, ExpirationDate: { Month: '04', Year: '2030' } };
		await pay(caller, { Card });
		const [paid] = await told();
		t.is(paid[0], 'payment.settled');
		t.like(paid[1], { account: 'agency', gateway: 'Stripe', operation: 'Charge', result: 'Success' });
		stripe.mode = 'lost';
		await pay(caller, { Card, MyRef: 'lost' });
		t.deepEqual(await told(), [], 'it is not known');
	});

	test(`${dialect}: an API key that ends soon is told once`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const { account } = await parts.createCaller('agency');
		const told = await listen(t, parts, account as never);
		const ends = parts.clock.now().getTime() + DAY_MS;
		await parts.database.knex('api_keys').where({ account_id: account.id }).update({ valid_until: ends });
		const settings = { ...DEFAULTS, dataDir: makeFolder(t) };
		await tellExpiring(parts, settings);
		await tellExpiring(parts, settings);
		const [[type, expiring], ...rest] = await told();
		t.is(type, 'key.expiring');
		t.like(expiring, { account: 'agency', kind: 'api-key', endsAt: new Date(ends).toISOString() });
		t.deepEqual(rest, []);
	});

	test(`${dialect}: an OpenPGP key that ends soon is told once, and one that is revoked or ends later is not`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const { account } = await parts.createCaller('agency');
		const told = await listen(t, parts, account as never);
		const owner = { accountId: account.id, userId: 'agency' };
		const keys = openPgpKeys(parts);
		// The library makes keys by the clock of the machine, so the clock of the test is set to that.
		parts.clock.turn(Date.now() - parts.clock.now().getTime());
		for (const [name, days] of [
			['soon', 20],
			['later', 200],
			['gone', 20],
			['ever', undefined],
		] as const)
			await keys.put(owner, name, await createKey('agency', days), BY);
		await keys.revoke(owner, 'gone', BY);
		const settings = { ...DEFAULTS, dataDir: makeFolder(t) };
		await tellExpiring(parts, settings);
		await tellExpiring(parts, settings);
		const found = await told();
		t.deepEqual(
			found.map(([type, { kind, name }]) => [type, kind, name]),
			[['key.expiring', 'pgp-key', 'agency: OpenPGP key soon']],
		);
	});

	test(`${dialect}: a certificate of a profile that ends soon is told once`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const { account } = await parts.createCaller('agency');
		const told = await listen(t, parts, account as never);
		const { pem: certificate, key } = await certificateFor(parts.clock, 20);
		const profile = { ...MINIMAL, hosts: ['bank.example'], clientCertificate: { certificate, key } };
		await openProfiles({ ...parts, environment: 'sandbox', presets: new Map() }).put(
			account.id,
			JSON.stringify(profile),
		);
		const settings = { ...DEFAULTS, dataDir: makeFolder(t) };
		await tellExpiring(parts, settings);
		await tellExpiring(parts, settings);
		const [[type, expiring], ...rest] = await told();
		t.is(type, 'certificate.expiring');
		t.like(expiring, { account: 'agency', kind: 'client-certificate', name: 'agency: profile Minimal' });
		t.deepEqual(rest, []);
	});
}
