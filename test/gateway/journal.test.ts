// Tests the journal as the portal shows it: the newest first, those in one state, and everything about a payment.

import test from 'ava';
import type { AccountId } from '../../src/base/database/ids.ts';
import type { ListPage } from '../../src/base/database/list-page.ts';
import type { JournalQuestion } from '../../src/work/payments/gateway/attempt-store.ts';
import { VISA } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { openPayments, pay } from '../helpers/provider-payments.ts';

const OTHER = 999 as AccountId;
const CARD = { Number: VISA, ExpirationDate: { Month: '04', Year: '2030' } };

for (const dialect of databases) {
	test(`${dialect}: the journal lists what is newest first, and an unknown outcome is queried at once`, async (t) => {
		const { parts, caller, stripe } = await openPayments(t, dialect);
		const { gateway, clock } = parts;
		const accountId = caller.account.id;
		for (const myRef of ['first', 'second']) {
			clock.turn(1000);
			await pay(caller, { Card: CARD, MyRef: myRef });
		}
		stripe.mode = 'lost';
		clock.turn(1000);
		await pay(caller, { Card: CARD, MyRef: 'lost' });
		const refs = async (page: ListPage<string>, question: JournalQuestion = {}) =>
			(await gateway.journal(accountId, question, page)).map(({ myRef }) => myRef);
		t.deepEqual(await refs({ limit: 10 }), ['lost', 'second', 'first']);
		t.deepEqual(await refs({ limit: 10 }, { state: 'unknown' }), ['lost']);
		const [newest] = await gateway.journal(accountId, {}, { limit: 1 });
		t.deepEqual(await refs({ limit: 1, after: newest.id }), ['second']);
		const [, , oldest] = await gateway.journal(accountId, {}, { limit: 3 });
		t.deepEqual(await refs({ limit: 1, before: oldest.id }), ['second']);
		t.deepEqual(await refs({ limit: 10 }, { myRef: 'first' }), ['first']);
		const began = oldest.createdAt.getTime();
		t.deepEqual(await refs({ limit: 10 }, { fromMs: began + 1 }), ['lost', 'second']);
		t.deepEqual(await refs({ limit: 10 }, { toMs: began + 1 }), ['first']);
		const { gatewayReference } = oldest.outcome;
		t.truthy(gatewayReference);
		t.deepEqual(await refs({ limit: 10 }, { gatewayReference: gatewayReference! }), ['first']);
		t.deepEqual(await refs({ limit: 10, after: oldest.id }, { gatewayReference: gatewayReference! }), []);
		t.is(await gateway.countJournal(accountId, { gatewayReference: gatewayReference! }, 10), 1);
		t.is(await gateway.countJournal(OTHER, { gatewayReference: gatewayReference! }, 10), 0);
		t.is(await gateway.countJournal(accountId, {}, 10), 3);
		t.is(await gateway.countJournal(accountId, {}, 2), 2, 'no more are counted');
		t.deepEqual(await gateway.journal(OTHER, {}, { limit: 10 }), []);

		t.is(await gateway.findEntry(OTHER, newest.id), undefined);
		t.false(await gateway.settleOne(OTHER, newest.id, 'somebody'));
		t.like((await gateway.findEntry(accountId, newest.id))?.entry, {
			state: 'unknown',
			userId: 'agency',
			settledAt: null,
		});
		stripe.mode = 'normal';
		t.true(await gateway.settleOne(accountId, newest.id, { userId: 'agency', credential: 'portal-user 7' }));
		const found = await gateway.findEntry(accountId, newest.id);
		t.is(found?.entry.state, 'approved');
		t.true(found?.payment.some(({ id }) => id === newest.id));
		t.false(await gateway.settleOne(accountId, newest.id, 'somebody'), 'it is settled');
		const last = await parts.database.knex('audit').where({ action: 'gateway.charge' }).orderBy('seq', 'desc').first();
		t.true(JSON.stringify(last).includes('portal-user 7'));
	});

	test(`${dialect}: credentials are listed without what is secret`, async (t) => {
		const { parts, caller } = await openPayments(t, dialect);
		const { credentials } = parts.gateway;
		const place = { accountId: caller.account.id, id: 'shop-1', actor: 'operator test' };
		await credentials.put(place, 'Stripe', {});
		const listed = await credentials.list(place.accountId);
		t.true(listed.some(({ id, gateway }) => id === 'shop-1' && gateway === 'Stripe'));
		t.deepEqual(await credentials.list(OTHER), []);
	});
}
