// A vault goes to another installation: what comes along, what does not, and what is refused.

import { readFileSync } from 'node:fs';
import test from 'ava';
import { purgeCvvs } from '../../src/vault/cvvs/purge-cvvs.ts';
import { asJson, json, storeCard, VISA } from '../helpers/card-calls.ts';
import { decryptFor, exportTo, importFrom, NOTICED_MS } from '../helpers/vault-moves.ts';

import { ACCOUNTS, MASTERCARD, numberOf, openBoth } from './vault-move.setup.ts';

test('cards move with tokens and all that belongs to them but their CVVs, and what is new comes later', async (t) => {
	const { here, there, receiver } = await openBoth(t);
	const token = await storeCard(here.agency, '?ref=trip&merchantId=shop&saveCVV=true', {
		CVV: '123',
		NameOnCard: 'ANN Ü',
	});
	const exported = await exportTo(here.parts, receiver);
	t.like(exported, {
		records: 1,
		leftOut: 0,
		accounts: [
			{ account: 'agency', records: 1 },
			{ account: 'shop', records: 0 },
		],
	});
	const text = await decryptFor(receiver, exported.path);
	const [first, record, last] = text
		.trim()
		.split('\n')
		.map((line) => JSON.parse(line));
	t.like(first, { vault: 'tokendrop', layout: 1, environment: 'sandbox', accounts: ACCOUNTS });
	t.like(record, { token, account: 'agency', number: VISA, references: ['trip'], merchants: ['shop'], findable: true });
	t.like(record.cvvPolicy, { usesLeft: 1, removesCard: false });
	t.deepEqual(last, { end: { records: 1 } });
	t.notRegex(text, /"123"|cvv":/i);
	t.false(readFileSync(exported.path).includes(VISA));

	const imported = await importFrom(there.parts, receiver, exported.path);
	t.like(imported, { export: exported.export, sha256: exported.sha256, records: 1, stored: 1, isStored: true });
	there.parts.clock.turn(NOTICED_MS);
	const meta = async ({ agency }: typeof here) =>
		(await agency.inject('GET', `/api/payments/paycard/${token}/meta`, asJson)).json();
	const { CvvExists, EndRetentionDate, ...rest } = await meta(here);
	t.true(CvvExists);
	t.truthy(EndRetentionDate);
	t.deepEqual(await meta(there), { ...rest, CvvExists: false, EndRetentionDate: null });
	t.is(await numberOf(there.parts, token), VISA);

	const later = await storeCard(here.agency, '', { Number: MASTERCARD, Type: 'MasterCard' });
	const again = await importFrom(there.parts, receiver, (await exportTo(here.parts, receiver)).path);
	t.like(again, { records: 2, stored: 1, present: 1 });
	t.is(await numberOf(there.parts, later), MASTERCARD);
	const trail = await there.parts.database.knex('audit').whereLike('action', 'vault.%').orderBy('seq');
	t.deepEqual(
		trail.map(({ action, subject }) => `${action} ${subject}`),
		Array(2)
			.fill(
				ACCOUNTS.map((name) => `vault.import.begin account ${name}`).concat(
					ACCOUNTS.map((name) => `vault.import account ${name}`),
				),
			)
			.flat(),
	);
	t.like(JSON.parse(trail.at(-2).details), { records: 1, present: 1, isWhole: true });
	const out = await here.parts.database.knex('audit').where({ action: 'vault.export' });
	t.like(JSON.parse(out[0].details), { key: exported.fingerprint, records: 1, format: 'json', isWhole: true });
});

test('a card that is to go with its CVV goes in the other installation, although its time was over before the move', async (t) => {
	const { here, there, receiver } = await openBoth(t);
	const token = await storeCard(here.agency, '?saveCVV=true', { CVV: '123' });
	const policy = { DeleteCardUponCvvCleanup: true, CvvRetentionPolicyList: [] };
	const path = `/api/payments/paycard/${token}/cvvRetentionPolicy`;
	const put = await here.agency.inject('PUT', path, json(policy));
	t.is(put.statusCode, 200, put.body);
	here.parts.clock.turn(60 * 24 * 3_600_000);
	const { path: file } = await exportTo(here.parts, receiver);
	there.parts.clock.turn(60 * 24 * 3_600_000);
	await importFrom(there.parts, receiver, file);
	there.parts.clock.turn(NOTICED_MS);
	t.is(await numberOf(there.parts, token), VISA);
	t.deepEqual(await purgeCvvs(there.parts.vault), { cvvs: 1, cards: 1 });
	t.is(await numberOf(there.parts, token), undefined);
});
