import test from 'ava';
import { runCardRetention } from '../../src/installation/accounts/card-retention.ts';
import { accountStore } from '../../src/people/identity/accounts/account-store.ts';
import { BATCH, card, linesOf, NDJSON, ndjson } from '../helpers/batch-calls.ts';
import { storeCard } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { openHttpApp } from '../helpers/http-app.ts';

const DAY_MS = 86_400_000;
const SIDES = ['token_refs', 'fingerprints', 'cvvs'];

for (const dialect of databases) {
	test(`${dialect}: cards of an account go after its days, with all beside them, and the trail says how many`, async (t) => {
		const parts = await openHttpApp(t, dialect);
		const { clock, database, identity, audit, vault } = parts;
		const run = () => runCardRetention({ database, audit, clock });
		const agency = await parts.createCaller('agency', { cvvRetention: true });
		const other = await parts.createCaller('other');
		const query = '?eliminateCardDuplication=true&ref=old';
		const payload = ndjson(Array.from({ length: 40 }, () => card({ CVV: '306' })));
		const old = linesOf((await agency.inject('POST', `${BATCH}${query}`, { headers: NDJSON, payload })).payload);
		const single = await storeCard(agency, '?ref=single');
		const block = { payload: '{"Payload":"text"}', headers: { 'content-type': 'application/json' } };
		t.is((await agency.inject('POST', '/api/datablocks', block)).statusCode, 201);
		await storeCard(other);
		clock.turn(5 * DAY_MS);
		const young = await storeCard(agency, '?ref=young');
		t.is(await run(), 0, 'unlimited unless an account says otherwise');

		await identity.accounts.setCardsRetention('agency', 5, 'operator test');
		clock.turn(-1);
		t.is(await run(), 0);
		clock.turn(2);
		t.is(await run(), 2, 'forty lines of one card, and a single one');
		t.is(await run(), 0);
		for (const token of [old[0].token, single]) t.is(await vault.find(agency.account.id, token as never), undefined);
		t.truthy(await vault.find(agency.account.id, young as never));
		const { knex } = database;
		for (const table of SIDES) {
			const lone = knex(table).whereNotIn('page_id', knex('pages').select('id'));
			t.deepEqual(await lone, [], table);
		}
		t.is((await knex('pages')).length, 3, 'the young card, the data block, and the card of another account');
		const entries = await knex('audit').where({ action: 'cards.retention' });
		const details = entries.map((entry) => JSON.parse(entry.details));
		t.is(
			details.reduce((sum, { cards }) => sum + cards, 0),
			2,
		);
		const storedBefore = new Date(clock.now().getTime() - 5 * DAY_MS).toISOString();
		for (const each of details) t.like(each, { days: 5, storedBefore });
		t.is(entries[0].subject, 'account agency');
		t.like(await identity.accounts.get('agency'), { cardsRetentionDays: 5, cardsRetired: 2 });
		t.is(await accountStore(knex).sumCardsRetired(), 2);
		await identity.accounts.setCardsRetention('agency', null, 'operator test');
		clock.turn(5_000 * DAY_MS);
		t.is(await run(), 0);
	});
}

test('only a primary account has cards to let go', async (t) => {
	const parts = await openHttpApp(t);
	await parts.createCaller('agency');
	await parts.createCaller('clerk', { kind: 'sub-user', parent: 'agency' });
	const { accounts } = parts.identity;
	await t.throwsAsync(accounts.setCardsRetention('clerk', 5, 'operator test'), { message: /Bad input/ });
});
