import test from 'ava';
import { callOutcomes } from '../../src/base/database/migrations/0020-call-outcomes.ts';
import { coreDatabases } from '../helpers/database.ts';
import { openOlder } from '../helpers/older-database.ts';

const TOKEN = 'a054d362051545afd3f6f25107776579';
const PASS = '01k9zq3v8f4m6n2p7r5s1t0w9x';

for (const dialect of coreDatabases) {
	test(`${dialect}: what calls had made before stands as kind and id`, async (t) => {
		const { knex } = await openOlder(t, dialect, callOutcomes);
		const older = [null, TOKEN, `had ${TOKEN}`, PASS, 'sent', `stream ${PASS}`, `batch ${PASS}`, 'X-Request-Id a-b'];
		for (const [account_id, made] of older.entries()) {
			const hashes = { key_hash: 'key', request_hash: 'request', claim: 'claim' };
			await knex('idempotency_keys').insert({ account_id, ...hashes, made, claimed_until: 1, expires_at: 2 });
		}
		await callOutcomes.up(knex, dialect);
		const rows = await knex('idempotency_keys').orderBy('account_id');
		t.deepEqual(
			rows.map(({ outcome_kind, outcome_id }) => [outcome_kind, outcome_id]),
			[
				[null, null],
				['token', TOKEN],
				['earlier-token', TOKEN],
				['job', PASS],
				['sent', null],
				['stream', PASS],
				['batch', PASS],
				['request', 'a-b'],
			],
		);
		t.false('made' in rows[0]);
		t.is(rows[0].request_hash, 'request');
	});
}
