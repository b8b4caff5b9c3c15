// Checks which account an entry belongs to, and that the caller stands in it with the call.

import test from 'ava';
import { actorOf } from '../../src/people/identity/principal.ts';
import type { AuditEntry } from '../../src/trail/entry.ts';
import { storeCard } from '../helpers/card-calls.ts';
import { databases } from '../helpers/database.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { createAccount, openIdentityParts } from '../helpers/identity-parts.ts';

for (const dialect of databases) {
	test(`an entry belongs to the primary account of what it is about, and names that of the caller (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const agency = await createAccount(parts, 'agency');
		const desk = await createAccount(parts, 'desk', { kind: 'sub-user', parent: 'agency' });
		const [own, sub] = [agency.principal.ownerId, desk.principal.accountId];
		const by = actorOf(desk.principal);
		const cases: [Omit<AuditEntry, 'action'>, { about: number | null; by: number | null }][] = [
			[
				{ actor: by, subject: 'token 1' },
				{ about: own, by: own },
			],
			[
				{ actor: by, subject: 'token 1', account: 77 as never },
				{ about: 77, by: own },
			],
			[
				{ actor: 'operator olivia', subject: 'account desk' },
				{ about: own, by: null },
			],
			[
				{ actor: 'daemon', subject: 'job 1', account: { within: sub } },
				{ about: own, by: null },
			],
			[
				{ actor: 'daemon', subject: 'portal-user 1', details: { account: 'agency' } },
				{ about: own, by: null },
			],
			[
				{ actor: by, subject: 'account nobody' },
				{ about: own, by: own },
			],
			[
				{ actor: 'unknown', subject: 'account unknown' },
				{ about: null, by: null },
			],
			[
				{ actor: 'daemon', subject: 'installation' },
				{ about: null, by: null },
			],
		];
		for (const [entry, expected] of cases) {
			await parts.audit.record({ ...entry, action: 'test.note' });
			const row = await parts.database.knex('audit').orderBy('seq', 'desc').first();
			t.deepEqual({ about: row.account_id, by: row.by_account_id }, expected, entry.subject);
		}
		t.true((await parts.audit.verify()).isWhole);
	});
}

test('a call that stores a card leaves its X-Request-Id and its account in the trail', async (t) => {
	const parts = await openHttpApp(t);
	const caller = await parts.createCaller('demo');
	const token = await storeCard(caller);
	const row = await parts.database
		.knex('audit')
		.where({ subject: `token ${token}` })
		.first();
	t.is(row.account_id, caller.account.id);
	t.regex(JSON.parse(row.details).requestId, /^[0-9a-f-]{36}$/);
});
