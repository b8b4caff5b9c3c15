// Tests card requests as the portal makes and lists them: without an API key, open and ended, newest first.

import test from 'ava';
import type { CardRequestState } from '../../src/work/cardholders/requests/card-request.ts';
import { asJson } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { submitForm } from '../helpers/form-calls.ts';
import { TEST_BASE_URL } from '../helpers/http-app.ts';
import { MINUTE_MS } from '../helpers/identity-parts.ts';
import { openPortalApp } from '../helpers/portal-app.ts';

const baseUrl = TEST_BASE_URL;

for (const dialect of databases) {
	test(`${dialect}: a request that was made in the portal works until it ends, and is listed afterwards`, async (t) => {
		const parts = await openPortalApp(t, dialect);
		const { cardRequests, clock } = parts;
		const { viewer, caller } = await parts.signIn('clerk');
		const principal = viewer.principal!;
		const other = (await parts.signIn('manager', { account: 'other' })).viewer.principal!;
		const make = async (reference: string, expirationMinutes?: number) => {
			clock.turn(1000);
			return cardRequests.create(
				principal,
				{ recipient: { name: 'Marie' }, reference, expirationMinutes },
				{ baseUrl },
			);
		};
		const answered = await make('answered');
		const cancelled = await make('cancelled');
		const short = await make('short', 10);
		const open = await make('open');
		await cardRequests.cancel(principal, cancelled.id);

		const page = await parts.app.inject(answered.url.slice(baseUrl.length));
		const id = /name="form" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
		const stored = await submitForm(parts, { id });
		t.is(stored.statusCode, 200, stored.body);
		clock.turn(11 * MINUTE_MS);

		const listed = await cardRequests.list(principal, {}, { limit: 10 });
		t.deepEqual(
			listed.map(({ reference, status }) => [reference, status]),
			[
				['open', 'MessageQueued'],
				['short', 'LinkExpired'],
				['cancelled', 'Cancelled'],
				['answered', 'CardStored'],
			],
		);
		t.is(listed[3].resultToken, stored.json().cardToken.slice(-32));
		t.is(listed[0].portalUserId, viewer.user.id);
		const states = async (state: CardRequestState) =>
			(await cardRequests.list(principal, { state }, { limit: 10 })).map(({ reference }) => reference);
		t.deepEqual(await states('Cancelled'), ['cancelled']);
		const after = await cardRequests.list(principal, {}, { after: short.id, limit: 1 });
		t.deepEqual(
			after.map(({ reference }) => reference),
			['cancelled'],
		);

		t.deepEqual(await cardRequests.list(other, {}, { limit: 10 }), []);
		t.is(await cardRequests.findPast(other, open.id), undefined);
		t.is((await cardRequests.findPast(principal, answered.id))?.recipient.name, 'Marie');
		const [found] = (await caller!.inject('GET', '/api/payments/paycard/meta?ref=answered', asJson)).json();
		t.like(found, { LastDigits: '1111', UserID: 'agency' });

		// The seal covers the columns that say who asked, so a row in which they were changed is not found.
		await parts.database.knex('card_requests').where({ id: open.id }).update({ api_key_id: -99 });
		t.is(await cardRequests.findPast(principal, open.id), undefined);
	});

	test(`${dialect}: the link of a request stops working when its account is disabled`, async (t) => {
		const parts = await openPortalApp(t, dialect);
		const { viewer, caller } = await parts.signIn('clerk');
		const { url } = await parts.cardRequests.create(viewer.principal!, { recipient: {} }, { baseUrl });
		const show = () => parts.app.inject(url.slice(baseUrl.length));
		t.is((await show()).statusCode, 200);
		await parts.identity.changes.disable(caller!.account, 'operator test');
		t.is((await show()).statusCode, 404);
	});
}
