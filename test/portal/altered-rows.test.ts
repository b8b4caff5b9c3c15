// Somebody has changed rows in the database. Lists for people show accounts and users as what they are now, and leave out
// whatever else no longer works.

import test from 'ava';
import { parseSshPublicKey } from '../../src/people/identity/credentials/ssh-public-key.ts';
import { parseDestination } from '../../src/work/relay/partners/destination-document.ts';
import { databases } from '../helpers/database.ts';
import { openPortalApp } from '../helpers/portal-app.ts';
import { makeSshKeyLine } from '../helpers/ssh-key-line.ts';
import { JSON_PROFILE } from '../helpers/third-party.ts';

const BY = 'operator test';

for (const dialect of databases) {
	test(`${dialect}: an account and a user whose row was changed are shown as tampered with`, async (t) => {
		const parts = await openPortalApp(t, dialect);
		const { knex } = parts.database;
		const manager = await parts.signIn('manager');
		const operator = await parts.signIn('operator');
		await parts.identity.accounts.create({ userId: 'hotel', kind: 'property', parent: 'agency' }, BY);
		const { id: accountId } = manager.viewer.account!;
		await parts.portal.users.add({ name: 'mallory', of: { accountId, role: 'viewer' } }, BY);
		const bodyOf = async (who: typeof manager, path: string) => (await who.get(path)).body;
		const pages = () =>
			Promise.all([
				bodyOf(manager, '/portal/people'),
				bodyOf(manager, '/portal/access/accounts'),
				bodyOf(operator, '/portal/installation/accounts'),
			]);
		for (const body of await pages()) t.notRegex(body, /tampered with/);

		await knex('portal_users').where({ name: 'mallory' }).update({ role: 'manager' });
		await knex('accounts').where({ user_id: 'hotel' }).update({ cvv_retention: true });
		for (const [index, name] of ['mallory', 'hotel', 'hotel'].entries()) {
			const body = (await pages())[index];
			const row = body.match(/<tr>.*?<\/tr>/gs)!.find((each) => each.includes(name))!;
			t.regex(row, /tampered with/);
			t.notRegex(row, /<a href/, 'nothing can be done with it');
			t.is(body.match(/tampered with/g)!.length, 1, 'the others are as they were');
		}
		const [listed] = (await parts.portal.users.list(accountId)).filter(({ isBroken }) => isBroken);
		t.is(listed.name, 'mallory');
		const accounts = await parts.identity.accounts.list();
		t.deepEqual(
			accounts.filter(({ isBroken }) => isBroken).map(({ userId }) => userId),
			['hotel'],
		);
	});

	test(`${dialect}: keys, sessions, profiles and destinations whose row was changed are in no list`, async (t) => {
		const parts = await openPortalApp(t, dialect);
		const { identity, profiles, destinations, portal, database } = parts;
		const manager = await parts.signIn('manager');
		const account = manager.viewer.account!;
		await identity.sshKeys.add(account, BY, parseSshPublicKey(makeSshKeyLine('own')));
		await profiles.put(account.id, JSON_PROFILE);
		const owner = { accountId: account.id, userId: account.userId };
		await destinations.put(owner, parseDestination('name: bank\nhost: a.example\nuserName: a\npassword: p\n'), BY);
		const lists = {
			api_keys: () => identity.apiKeys.list(account),
			ssh_keys: () => identity.sshKeys.list(account),
			portal_sessions: () => portal.sessions.list(manager.viewer),
			relay_profiles: () => profiles.list(account.id),
			destinations: () => destinations.list(account.id),
		};
		for (const [table, list] of Object.entries(lists)) {
			t.is((await list()).length, 1, table);
			await database.knex(table).update({ seal: Buffer.alloc(32) });
			t.deepEqual(await list(), [], table);
		}
	});
}
