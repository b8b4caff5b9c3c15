import test from 'ava';
import { ServiceError } from '../../src/base/errors.ts';
import type { NewAccount } from '../../src/people/identity/accounts/accounts.ts';
import { openIdentity } from '../../src/people/identity/identity.ts';
import { allPermissions } from '../../src/people/identity/permissions.ts';
import { databases } from '../helpers/database.ts';
import { createAccount, openIdentityParts } from '../helpers/identity-parts.ts';

const refused = (moreInfo: RegExp) => ({ instanceOf: ServiceError, message: moreInfo });

for (const dialect of databases) {
	test(`an account is created, found, listed and shown (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { accounts } = parts.identity;
		const agency = await accounts.create({ userId: 'agency', cvvRetention: true, allowanceLimit: 10 }, 'operator test');
		const clerk = await accounts.create(
			{ userId: 'agency.clerk', kind: 'sub-user', parent: 'agency' },
			'operator test',
		);
		const hotel = await accounts.create({ userId: 'hotel-7', kind: 'property', parent: 'agency' }, 'operator test');
		t.like(agency, { kind: 'primary', parentId: null, cvvRetention: true, allowanceLimit: 10, allowanceUsed: 0 });
		t.is(clerk.parentId, agency.id);
		t.deepEqual(
			(await accounts.list()).map((account) => account.userId),
			['agency', 'agency.clerk', 'hotel-7'],
		);
		t.deepEqual(
			(await accounts.list({ limit: 1, offset: 1 })).map((account) => account.id),
			[clerk.id],
		);
		t.deepEqual(await accounts.get('hotel-7'), hotel);
		t.is(await accounts.find('Hotel-7'), undefined);
		t.deepEqual(
			[...(await accounts.userIdsOf([agency.id, hotel.id]))],
			[
				[agency.id, 'agency'],
				[hotel.id, 'hotel-7'],
			],
		);
		await t.throwsAsync(accounts.get('nobody'), refused(/no such account/));
	});

	test(`only a primary account can be a parent, and only of the other kinds (${dialect})`, async (t) => {
		const { identity } = await openIdentityParts(t, dialect);
		const { accounts } = identity;
		const create = (account: Parameters<typeof accounts.create>[0]) => accounts.create(account, 'operator test');
		await create({ userId: 'agency' });
		await create({ userId: 'clerk', kind: 'sub-user', parent: 'agency' });
		await t.throwsAsync(create({ userId: 'a', kind: 'sub-user' }), refused(/parent/));
		await t.throwsAsync(create({ userId: 'b', kind: 'property', parent: 'clerk' }), refused(/primary account/));
		await t.throwsAsync(create({ userId: 'c', kind: 'property', parent: 'nobody' }), refused(/primary account/));
		await t.throwsAsync(create({ userId: 'd', parent: 'agency' }), refused(/has none/));
		await t.throwsAsync(
			create({ userId: 'e', kind: 'sub-user', parent: 'agency', allowanceLimit: 3 }),
			refused(/allowance/),
		);
		await t.throwsAsync(create({ userId: 'agency' }), refused(/exists already/));
		t.is((await accounts.list()).length, 2);
	});

	test(`an account and its key are created together or not at all (${dialect})`, async (t) => {
		const { identity, database } = await openIdentityParts(t, dialect);
		await identity.createAccount({ userId: 'agency' }, 'operator test');
		await t.throwsAsync(identity.createAccount({ userId: 'agency' }, 'operator test'), refused(/exists already/));
		t.is((await database.knex('api_keys')).length, 1);
	});

	test(`every change of an account is in the audit trail (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { identity } = parts;
		await identity.createAccount({ userId: 'agency' }, 'operator test');
		await identity.accounts.block('agency', 'operator test');
		await identity.accounts.block('agency', 'operator test');
		await identity.accounts.unblock('agency', 'operator test');
		const rows = await parts.database.knex('audit').orderBy('seq').select('actor', 'action', 'subject');
		const subject = 'account agency';
		t.deepEqual(
			rows.slice(1).map((row) => `${row.action} ${row.subject} ${row.actor}`),
			['account.create', 'api-key.create', 'account.block', 'account.unblock'].map(
				(action) => `${action} ${subject} operator test`,
			),
		);
		t.true((await parts.audit.verify()).isWhole);
	});

	test(`the demo account is made once, by one daemon, with every permission (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const other = await parts.anotherDaemon();
		const made = (await Promise.all([parts.identity.ensureDemoAccount(), other.identity.ensureDemoAccount()])).filter(
			Boolean,
		);
		t.is(made.length, 1);
		const principal = await other.identity.authenticate({ kind: 'api-key', secret: made[0]!.secret.reveal() });
		t.like(principal, { userId: 'demo', kind: 'primary', cvvRetention: true });
		t.is(principal!.permissions.size, 18);
		t.is(await parts.identity.ensureDemoAccount(), undefined);
		t.is((await parts.identity.accounts.list()).length, 1);
	});

	test(`spec §8: a new primary account gets the allowance of the installation (${dialect})`, async (t) => {
		const { database, keyRing, audit, clock } = await openIdentityParts(t, dialect);
		const identity = openIdentity({ database, keyRing, audit, clock, environment: 'sandbox', allowanceUnits: 100 });
		const limitOf = async (account: NewAccount) =>
			(await identity.createAccount(account, 'operator test')).account.allowanceLimit;
		t.is((await identity.ensureDemoAccount())?.account.allowanceLimit, 100);
		t.is(await limitOf({ userId: 'agency' }), 100);
		t.is(await limitOf({ userId: 'small', allowanceLimit: 0 }), 0);
		t.is(await limitOf({ userId: 'free', allowanceLimit: null }), null);
		t.is(await limitOf({ userId: 'clerk', kind: 'sub-user', parent: 'agency' }), null);
	});

	test(`there is no demo account beside others (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		await parts.identity.createAccount({ userId: 'agency' }, 'operator test');
		t.is(await parts.identity.ensureDemoAccount(), undefined);
		t.is(await parts.identity.accounts.find('demo'), undefined);
	});

	test(`a token can be associated with an active primary account alone (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { identity } = parts;
		const agency = await createAccount(parts, 'agency');
		const clerk = await createAccount(parts, 'clerk', { kind: 'sub-user', parent: 'agency' });
		const partner = await createAccount(parts, 'partner');
		await createAccount(parts, 'partner-hotel', { kind: 'property', parent: 'partner' });
		await createAccount(parts, 'hotel', { kind: 'property', parent: 'agency' });
		for (const { principal } of [agency, clerk]) {
			const caller = { ...principal, permissions: allPermissions };
			const resolve = (merchantId: string) => identity.resolveAssociationTarget(caller, merchantId);
			t.is(await resolve('partner'), partner.account.id);
			t.is(await resolve('agency'), agency.account.id);
			for (const own of ['clerk', 'hotel'])
				await t.throwsAsync(resolve(own), { message: /not allowed for the given entity/ });
			for (const foreign of ['partner-hotel', 'nobody', 'PARTNER', '', 'partner\0', '\0'])
				await t.throwsAsync(resolve(foreign), refused(/merchantId/));
		}
		await identity.accounts.block('partner', 'operator test');
		await t.throwsAsync(identity.resolveAssociationTarget(agency.principal, 'partner'), refused(/merchantId/));
	});
}

for (const userId of ['', 'a b', '../a', '.hidden', 'a/b', 'ä', 'a'.repeat(65), 'a\n', '4111111111111111']) {
	test(`${JSON.stringify(userId)} is no user ID`, async (t) => {
		const { identity } = await openIdentityParts(t, 'sqlite');
		await t.throwsAsync(identity.accounts.create({ userId }, 'operator test'), refused(/userId/));
	});
}

for (const dialect of databases) {
	test(`a card number in place of a user ID is not asked of the database (${dialect})`, async (t) => {
		const { identity, database } = await openIdentityParts(t, dialect);
		const asked: unknown[] = [];
		database.knex.on('query', (query: { bindings?: unknown[] }) => asked.push(...(query.bindings ?? [])));
		for (const userId of ['4111111111111111', '4111-1111-1111-1111', 'x4111111111111111123']) {
			t.is(await identity.accounts.find(userId), undefined);
		}
		t.is(await identity.accounts.find('nobody'), undefined);
		t.true(asked.includes('nobody'));
		t.false(asked.some((value) => String(value).includes('4111')));
	});
}
