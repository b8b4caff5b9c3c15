import test, { type ExecutionContext } from 'ava';
import { scheduledTasks } from '../../src/app/scheduled-tasks.ts';
import type { AccountId, KeyId } from '../../src/base/database/ids.ts';
import { loadSettings } from '../../src/base/settings/settings.ts';
import { completeIn, type SessionRow, sessionStore } from '../../src/work/payments/wallet/session-store.ts';
import { databases, openTestDatabase } from '../helpers/database.ts';
import { openHttpApp } from '../helpers/http-app.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const ROW: SessionRow = {
	...{ id: '01kjpz8q4y6t3wxa7n5c2dme9r', hash: 'a'.repeat(64), operation: 'CHARGE' },
	...{ account_id: 1 as AccountId, owner_id: 1 as AccountId, api_key_id: 7, amount_minor: 1023, currency: 'USD' },
	...{ gateway: 'Sandbox', credentials_id: null, my_ref: 'order-1', reference: null, merchant_id: null },
	...{ save_cvv: null, card_types: null, created_at: NOW, expires_at: NOW + 300_000, attempts: 0 },
	...{
		transaction_id: null,
		claim: null,
		claimed_until: null,
		completed_at: null,
		key_id: null,
		sealed: null,
		seal_key: null,
		seal: null,
	},
};
const TRANSACTION = '01kjpz8q4y6t3wxa7n5c2dme9s';

const open = async (t: ExecutionContext, dialect: 'sqlite' | 'postgres') => {
	const { knex } = await openTestDatabase(t, dialect);
	const store = sessionStore(knex);
	await store.insert(ROW);
	return { ...store, knex };
};

for (const dialect of databases) {
	test(`a session is found by its id and by its hash, as it was put in (${dialect})`, async (t) => {
		const store = await open(t, dialect);
		t.deepEqual({ ...(await store.find(ROW.id)) }, { ...ROW });
		t.is((await store.findByHash(['b'.repeat(64), ROW.hash]))?.id, ROW.id);
		t.is(await store.findByHash(['b'.repeat(64)]), undefined);
		await t.throwsAsync(store.insert({ ...ROW, id: TRANSACTION }));
	});

	test(`one at a time has a session, until the claim is over (${dialect})`, async (t) => {
		const store = await open(t, dialect);
		const claim = (name: string, now: number) => store.claim(ROW.id, { claim: name, until: now + 60_000, now });
		t.deepEqual((await Promise.all(['one', 'two', 'three'].map((name) => claim(name, NOW)))).filter(Boolean), [true]);
		const holder = (await store.find(ROW.id))!.claim!;
		t.false(await claim('late', NOW + 59_999));
		t.true(await claim('next', NOW + 60_000));
		t.false(await store.note(ROW.id, holder, { attempts: 9, transaction_id: null }), 'the claim has passed on');
		t.true(await store.note(ROW.id, 'next', { attempts: 1, transaction_id: TRANSACTION }));
		await store.release(ROW.id, holder, { attempts: 9, transaction_id: null });
		t.like(await store.find(ROW.id), { claim: 'next', attempts: 1, transaction_id: TRANSACTION });
		await store.release(ROW.id, 'next', { attempts: 1, transaction_id: TRANSACTION });
		t.like(await store.find(ROW.id), { claim: null, claimed_until: null });
		t.true(await claim('again', NOW));
	});

	test(`a completed session is nobody's any more (${dialect})`, async (t) => {
		const store = await open(t, dialect);
		const end = {
			...{ attempts: 1, transaction_id: TRANSACTION, completed_at: NOW + 1 },
			...{ key_id: 3 as KeyId, sealed: Buffer.from('sealed') },
		};
		await store.claim(ROW.id, { claim: 'one', until: NOW + 60_000, now: NOW });
		t.false(await completeIn(store.knex, { id: ROW.id, claim: 'two' }, end));
		t.true(await completeIn(store.knex, { id: ROW.id, claim: 'one' }, end));
		t.like(await store.find(ROW.id), { ...end, claim: null });
		t.false(await store.claim(ROW.id, { claim: 'three', until: NOW + 90_000, now: NOW + 80_000 }));
	});

	test(`sessions that ended before a moment are removed (${dialect})`, async (t) => {
		const store = await open(t, dialect);
		t.is(await store.removeExpired(ROW.expires_at), 0);
		t.is(await store.removeExpired(ROW.expires_at + 1), 1);
		t.is(await store.find(ROW.id), undefined);
	});
}

test('the task for expired credentials removes a session a day after its end', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('agency');
	const body = { payload: '{"operation":"TOKENIZE"}', headers: { 'content-type': 'application/json' } };
	t.is((await caller.inject('POST', '/api/eWalletOperation', body)).statusCode, 200);
	const task = scheduledTasks({ ...parts, settings: loadSettings({ env: {} }), actor: 'daemon' } as never).find(
		({ name }) => name === 'expired-credentials',
	)!;
	const left = async () => (await parts.database.knex('wallet_sessions')).length;
	parts.clock.turn(24 * 3_600_000 + 300_000);
	await task.run();
	t.is(await left(), 1);
	parts.clock.turn(1);
	await task.run();
	t.is(await left(), 0);
});
