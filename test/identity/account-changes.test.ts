import test from 'ava';
import { databases } from '../helpers/database.ts';
import { createAccount, HOUR_MS, openIdentityParts } from '../helpers/identity-parts.ts';
import { until } from '../helpers/until.ts';

const BY = 'operator test';

for (const dialect of databases) {
	test(`${dialect}: no credential of a disabled account works, nor of its people, until it is enabled`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { identity, database } = parts;
		const { account, text, principal } = await createAccount(parts, 'agency');
		const clerk = await createAccount(parts, 'clerk', { kind: 'sub-user', parent: 'agency' });
		const session = (await identity.sessionTokens.create(principal)).secret.reveal();
		const other = await createAccount(parts, 'other');
		const open = [principal, clerk.principal, other.principal].map((each) => identity.standings.watch(each));
		t.truthy((await identity.changes.disable(account, BY)).disabledAt);
		for (const secret of [text, clerk.text]) t.is(await identity.authenticate({ kind: 'api-key', secret }), null);
		t.is(await identity.authenticate({ kind: 'session-token', secret: session }), null);
		t.is(await identity.sftpLogin.byPassword({ userName: 'agency', password: text }), null);
		t.truthy(await identity.authenticate({ kind: 'api-key', secret: other.text }));
		await until('what is open has ended', () => open[0].signal.aborted && open[1].signal.aborted, { withinMs: 6_000 });
		t.false(open[2].signal.aborted);
		t.like(open[0].signal.reason, { why: 'the account was disabled' });
		for (const each of open) each.release();
		await t.throwsAsync(identity.resolveAssociationTarget(other.principal, 'agency'));
		await identity.changes.enable(account, BY);
		t.truthy(await identity.authenticate({ kind: 'api-key', secret: clerk.text }));
		const actions = await database.knex('audit').where({ subject: 'account agency' }).orderBy('seq').pluck('action');
		t.deepEqual(actions.slice(-2), ['account.disable', 'account.enable']);
	});

	test(`${dialect}: permissions of every credential are replaced, or of one`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { identity } = parts;
		const { account, text, apiKey } = await createAccount(parts, 'agency');
		const second = await identity.apiKeys.create(account, BY);
		const permitted = async (secret: string) => [
			...((await identity.authenticate({ kind: 'api-key', secret }))?.permissions ?? []),
		];
		t.is(await identity.changes.setPermissions(account, BY, new Set(['Relay'])), 2);
		t.deepEqual(await permitted(text), ['Relay']);
		t.is(await identity.changes.setPermissions(account, BY, new Set(['Tokenize']), { apiKeyId: apiKey.id }), 1);
		t.deepEqual(await permitted(text), ['Tokenize']);
		t.deepEqual(await permitted(second.secret.reveal()), ['Relay']);
		const wrong = identity.changes.setPermissions(account, BY, new Set(['Relay']), { apiKeyId: 999 });
		await t.throwsAsync(wrong, { message: /no such credential/ });
	});

	test(`${dialect}: allowance and CVV retention are set, and audited`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { identity, database } = parts;
		const { account } = await createAccount(parts, 'agency');
		const clerk = await createAccount(parts, 'clerk', { kind: 'sub-user', parent: 'agency' });
		t.is((await identity.changes.setAllowance(account, BY, 5)).allowanceLimit, 5);
		t.is((await identity.changes.setAllowance(account, BY, null)).allowanceLimit, null);
		await t.throwsAsync(async () => identity.changes.setAllowance(clerk.account, BY, 5), { message: /its parent/ });
		t.true((await identity.changes.setCvvRetention(account, BY, true)).cvvRetention);
		const row = await database.knex('audit').where({ action: 'account.cvv-retention' }).first();
		t.like(row, { actor: BY, subject: 'account agency', details: '{"to":true}' });
	});

	test(`${dialect}: a deletion is asked for once, and taken back until it begins`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { identity } = parts;
		const { account, text } = await createAccount(parts, 'agency');
		await identity.changes.requestDeletion(account, BY, HOUR_MS);
		t.is(await identity.authenticate({ kind: 'api-key', secret: text }), null);
		await t.throwsAsync(identity.changes.requestDeletion(account, BY, HOUR_MS), { message: /already requested/ });
		await identity.changes.enable(account, BY);
		t.truthy(await identity.authenticate({ kind: 'api-key', secret: text }));
		await identity.changes.requestDeletion(account, BY, HOUR_MS);
		await parts.database.knex('account_deletions').update({ begun_at: 1 });
		await t.throwsAsync(identity.changes.enable(account, BY), { message: /is being deleted/ });
		t.is(await identity.authenticate({ kind: 'api-key', secret: text }), null);
	});
}
