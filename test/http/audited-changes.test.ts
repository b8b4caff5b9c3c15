// Checks that a change of a stored record and its entry in the audit trail are made together or not at all.

import type { InjectOptions } from 'fastify';
import { onBoth } from '../helpers/caller-stories.ts';
import { json, storeCard } from '../helpers/card-calls.ts';
import type { HttpApp } from '../helpers/http-app.ts';

const CARDS = '/api/payments/paycard';
const TABLES = ['pages', 'token_refs', 'associations', 'cvvs', 'cvv_destinations'];
const DESTINATION = { DestinationType: 'HostName', DestinationData: 'bank.example' };
const POLICY = json({ CvvRetentionPolicyList: [DESTINATION] });

interface Step {
	readonly method: InjectOptions['method'];
	readonly path: string;
	readonly call?: ReturnType<typeof json>;
	/** The action of the entry that the step leaves in the trail. */
	readonly action: string;
	readonly details?: object;
}

/** The steps in their order: each changes what the ones before it have left. */
const STEPS: readonly Step[] = [
	{ method: 'PUT', path: '/merchants/shop', action: 'card.associate', details: { merchant: 'shop' } },
	{ method: 'DELETE', path: '/merchants/shop', action: 'card.dissociate', details: { merchant: 'shop' } },
	{ method: 'PUT', path: '/merchants/shop', action: 'card.associate', details: { merchant: 'shop' } },
	{ method: 'DELETE', path: '/merchants', action: 'card.dissociate', details: { merchant: 'all' } },
	{ method: 'PUT', path: '/cvvRetentionPolicy', call: POLICY, action: 'cvv.policy' },
	{ method: 'PUT', path: '/cvvRetentionPolicy/Owner/x', call: json({ Quota: 3 }), action: 'cvv.policy' },
	{ method: 'DELETE', path: '/cvvRetentionPolicy/Owner', action: 'cvv.policy' },
	{ method: 'DELETE', path: '/cvv', action: 'cvv.clear' },
	{ method: 'DELETE', path: '', action: 'card.delete' },
];

async function stored({ database: { knex } }: HttpApp): Promise<string> {
	return JSON.stringify(await Promise.all(TABLES.map((table) => knex(table))));
}

/** Takes the head of the trail away while a call is made, so that no entry can be written. */
async function withoutTrail<T>({ database: { knex } }: HttpApp, call: () => Promise<T>): Promise<T> {
	const head = await knex('audit_head').first();
	await knex('audit_head').delete();
	try {
		return await call();
	} finally {
		await knex('audit_head').insert(head);
	}
}

onBoth('every change of a card is in the trail, and none is made that cannot be', async (t, parts, demo) => {
	await parts.createCaller('shop');
	const token = await storeCard(demo, '', { CVV: '306' });
	const [{ details: first }] = await parts.database.knex('audit').where('action', 'card.store');
	const { isNew: _, requestId: ofStore, ...cameWith } = JSON.parse(first);
	t.regex(ofStore, /^[0-9a-f-]{36}$/);
	t.regex(cameWith.credential, /^api-key \d+$/);
	t.is(cameWith.address, '127.0.0.1');
	const about = () => parts.database.knex('audit').where('subject', `token ${token}`).orderBy('seq', 'desc');
	for (const { method, path, call, action, details = {} } of STEPS) {
		const make = () => demo.inject(method, `${CARDS}/${token}${path}`, call);
		const what = `${method} ${path}`;
		const before = await stored(parts);
		t.is((await withoutTrail(parts, make)).statusCode, 500, what);
		t.is(await stored(parts), before, `${what} changed something that is in no trail`);
		const answer = await make();
		t.is(answer.statusCode, 200, what);
		t.not(await stored(parts), before, what);
		const { actor, ...entry } = await about().first('actor', 'action', 'details');
		const { requestId, ...told } = JSON.parse(entry.details);
		t.is(requestId, answer.headers['x-request-id'], what);
		t.deepEqual({ ...entry, details: told }, { action, details: { ...details, ...cameWith } }, what);
		t.is(actor, 'demo');
	}
	t.is((await about()).length, STEPS.length + 1, 'one entry for each, and one for storing it');
	t.true((await parts.audit.verify()).isWhole);
});

onBoth('a card that goes with its CVV leaves an entry of its own', async (t, parts, demo) => {
	const token = await storeCard(demo, '', { CVV: '306' });
	await demo.inject('PUT', `${CARDS}/${token}/cvvRetentionPolicy`, json({ DeleteCardUponCvvCleanup: true }));
	t.is((await demo.inject('DELETE', `${CARDS}/${token}/cvv`)).statusCode, 200);
	const actions = await parts.database.knex('audit').where('subject', `token ${token}`).orderBy('seq').pluck('action');
	t.deepEqual(actions, ['card.store', 'cvv.policy', 'cvv.clear', 'card.delete']);
	t.deepEqual(
		JSON.parse(await stored(parts)),
		TABLES.map(() => []),
	);
});

onBoth('a data block is deleted with its entry or not at all', async (t, parts, demo) => {
	const made = await demo.inject('POST', '/api/datablocks', json({ Payload: 'a passport' }));
	const url = `/api/datablocks/${made.json().Token}`;
	t.is((await withoutTrail(parts, () => demo.inject('DELETE', url))).statusCode, 500);
	t.is((await demo.inject('GET', url)).statusCode, 200);
	t.is((await demo.inject('DELETE', url)).statusCode, 200);
	t.is((await parts.database.knex('audit').where('action', 'data-block.delete')).length, 1);
});
