import test from 'ava';
import { ServiceError, standardErrorOf } from '../../src/base/errors.ts';
import { checkSender } from '../../src/doors/http/requests/card-request-order.ts';
import {
	defaultPermissions,
	formatPermissions,
	parsePermissions,
	requirePermission,
} from '../../src/people/identity/permissions.ts';
import { databases } from '../helpers/database.ts';
import { createAccount, openIdentityParts } from '../helpers/identity-parts.ts';
import { until } from '../helpers/until.ts';

const OPERATOR = 'operator test';
const exceeded = { instanceOf: ServiceError, message: /not authorized/ };

for (const dialect of databases) {
	test(`spec §7.4, §8: N units pass, the next call is refused and the account is blocked until support lifts it (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { allowance, accounts } = parts.identity;
		const { principal } = await createAccount(parts, 'agency', { allowanceLimit: 3 });
		for (let i = 0; i < 3; i++) await allowance.charge(principal);
		t.is((await accounts.get('agency')).blockedAt, null);
		const error = await t.throwsAsync(allowance.charge(principal), exceeded);
		t.like(error, { reason: 'allowance-exceeded', status: 403 });
		t.like(standardErrorOf(error as ServiceError), { code: -1003, message: null });
		t.truthy((await accounts.get('agency')).blockedAt);
		await t.throwsAsync(allowance.check(principal), exceeded);
		await accounts.unblock('agency', OPERATOR);
		for (let i = 0; i < 3; i++) await allowance.charge(principal);
		await t.throwsAsync(allowance.charge(principal), exceeded);
		const blocks = await parts.database.knex('audit').where({ action: 'account.block' });
		t.deepEqual(
			blocks.map(({ subject }) => subject),
			['account agency', 'account agency'],
		);
	});

	test(`calls in parallel on two daemons never overdraw (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const daemons = [parts, await parts.anotherDaemon()];
		const { principal } = await createAccount(parts, 'agency', { allowanceLimit: 20 });
		const calls = Array.from({ length: 60 }, (_, i) => daemons[i % 2].identity.allowance.charge(principal));
		const settled = await Promise.allSettled(calls);
		t.is(settled.filter(({ status }) => status === 'fulfilled').length, 20);
		t.like(await parts.identity.accounts.get('agency'), { allowanceUsed: 20 });
		t.is((await parts.database.knex('audit').where({ action: 'account.block' })).length, 1);
	});

	test(`spec §2.1: sub-users and properties are billed to their primary account (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { allowance, accounts } = parts.identity;
		const agency = await createAccount(parts, 'agency', { allowanceLimit: 2 });
		const clerk = await createAccount(parts, 'clerk', { kind: 'sub-user', parent: 'agency' });
		const hotel = await createAccount(parts, 'hotel', { kind: 'property', parent: 'agency' });
		await allowance.charge(clerk.principal);
		await allowance.charge(hotel.principal);
		await t.throwsAsync(allowance.charge(clerk.principal), exceeded);
		await t.throwsAsync(allowance.charge(agency.principal), exceeded);
		await accounts.unblock('agency', OPERATOR);
		await accounts.block('clerk', OPERATOR);
		await t.throwsAsync(allowance.charge(clerk.principal), exceeded);
		await allowance.charge(hotel.principal);
		t.is((await accounts.get('agency')).allowanceUsed, 1);
	});

	test(`shapes §11: what a failed call had taken is given back once (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { allowance, accounts } = parts.identity;
		const { principal } = await createAccount(parts, 'agency', { allowanceLimit: 2 });
		await allowance.charge(principal);
		const charge = await allowance.charge(principal);
		await charge.giveBack();
		await charge.giveBack();
		t.is((await accounts.get('agency')).allowanceUsed, 1);
		await allowance.charge(principal);
		await t.throwsAsync(allowance.charge(principal), exceeded);
	});

	test(`shapes §11: a file is checked before it starts and finishes once begun (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { allowance, accounts } = parts.identity;
		const { principal } = await createAccount(parts, 'agency', { allowanceLimit: 5 });
		await allowance.check(principal);
		await allowance.count(principal, 1_000);
		t.like(await accounts.get('agency'), { allowanceUsed: 1_000, blockedAt: null });
		await t.throwsAsync(allowance.check(principal), exceeded);
		t.truthy((await accounts.get('agency')).blockedAt);
	});

	test(`an account without a limit is never refused, and counted (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { principal } = await createAccount(parts, 'agency');
		await Promise.all(Array.from({ length: 50 }, () => parts.identity.allowance.charge(principal)));
		// The units are counted together a moment later, because nothing is decided by them.
		const used = async () => (await parts.identity.accounts.get('agency')).allowanceUsed;
		await until('all are counted', async () => (await used()) >= 50);
		t.is(await used(), 50);
	});

	test(`an allowance of nothing refuses the first call (${dialect})`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { principal } = await createAccount(parts, 'agency', { allowanceLimit: 0 });
		await t.throwsAsync(parts.identity.allowance.charge(principal), exceeded);
	});
}

if (databases.includes('postgres')) {
	test('calls of an account are charged while somebody holds the row of another account', async (t) => {
		const parts = await openIdentityParts(t, 'postgres');
		const { allowance, accounts } = parts.identity;
		const [agency, other] = [
			await createAccount(parts, 'agency', { allowanceLimit: 5 }),
			await createAccount(parts, 'other', { allowanceLimit: 5 }),
		];
		const holder = await parts.database.knex.transaction();
		t.teardown(() => holder.isCompleted() || holder.rollback());
		await holder('accounts').where({ id: agency.principal.ownerId }).forUpdate();
		const held = allowance.charge(agency.principal).then(() => 'held');
		t.is(await Promise.race([held, allowance.charge(other.principal).then(() => 'together')]), 'together');
		t.is(await Promise.race([held, allowance.charge(other.principal).then(() => 'later')]), 'later');
		await holder.rollback();
		t.is(await held, 'held');
		t.like(await accounts.get('other'), { allowanceUsed: 2 });
		t.like(await accounts.get('agency'), { allowanceUsed: 1 });
	});
}

test('spec §5.4.2: a missing permission is named in the message', (t) => {
	requirePermission({ permissions: defaultPermissions }, 'Tokenize');
	const error = t.throws<ServiceError>(() => requirePermission({ permissions: defaultPermissions }, 'FileDetokenize'));
	t.deepEqual(standardErrorOf(error), {
		code: -1003,
		message: 'Permission FileDetokenize is required',
		moreInfo: 'You are not authorized to access this resource. Please contact customer support.',
	});
});

test('permissions are read by name, or all at once', (t) => {
	t.is(formatPermissions(parsePermissions('Relay, Tokenize')), 'Tokenize,Relay');
	t.is(parsePermissions('all').size, 18);
	for (const text of ['', 'tokenize', 'Tokenize,', 'Tokenize;Relay', 'All']) {
		t.throws(() => parsePermissions(text), { instanceOf: ServiceError, message: /not known/ });
	}
});

test('spec §5.4.4: a SenderID must be the user ID of the credential, letter for letter', (t) => {
	checkSender({ userId: 'agency' }, 'agency');
	for (const senderId of ['Agency', 'agency ', '', 'other']) {
		t.throws(() => checkSender({ userId: 'agency' }, senderId), { instanceOf: ServiceError, message: /SenderID/ });
	}
});
