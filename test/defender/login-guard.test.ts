import test from 'ava';
import fc from 'fast-check';
import { AddressRanges, openAllowed } from '../../src/base/defender/allowed.ts';
import { allowedStore } from '../../src/base/defender/allowed-store.ts';
import { defaultDefenderSettings, openDefender } from '../../src/base/defender/defender.ts';
import { nobodyAllowed, openLoginGuard, userKey } from '../../src/base/defender/login-guard.ts';
import type { Siblings } from '../../src/base/siblings.ts';
import { connectedSiblings } from '../helpers/connected-siblings.ts';
import { databases, openTestDatabase } from '../helpers/database.ts';
import { turnableClock } from '../helpers/vault-parts.ts';

const OFFICE = '192.0.2.1';
const DAY_MS = 24 * 3_600_000;

function start(allowed = nobodyAllowed, siblings?: Siblings) {
	const clock = turnableClock();
	const settings = defaultDefenderSettings;
	const defender = openDefender(clock, settings);
	const guard = openLoginGuard({ defender, clock, settings, allowed, siblings });
	const fail = (userName: string, secret: string, times = 1, address = OFFICE) => {
		for (let turn = 0; turn < times; turn++) guard.failed({ address, userName, secret });
	};
	const mayTry = (userName: string, address = OFFICE) => guard.mayTry({ address, userName });
	return { clock, defender, guard, fail, mayTry };
}

test('a script with an old key shuts out nobody, not even its own account', (t) => {
	const { guard, fail, mayTry } = start();
	fail('agency', 'old key', 10_000);
	t.false(guard.isShutOut(OFFICE));
	t.true(mayTry('agency') && mayTry('partner'));
});

test('guesses for one user ban that user at the address, but not others there', (t) => {
	const { guard, fail, mayTry } = start();
	for (let turn = 0; turn < 1000; turn++) fail('agency', `guess ${turn}`);
	t.false(mayTry('agency'));
	t.true(mayTry('partner'));
	t.true(mayTry('agency', '192.0.2.2'));
	t.false(guard.isShutOut(OFFICE));
});

test('guesses for many users ban the address, but a user who has logged in there may go on', (t) => {
	const { clock, guard, fail, mayTry } = start();
	guard.succeeded({ address: OFFICE, userName: 'partner' });
	for (let turn = 0; turn < 100; turn++) fail(`user ${turn}`, 'guess');
	t.false(mayTry('agency'));
	t.true(mayTry('partner'));
	t.false(guard.isShutOut(OFFICE), 'the partner would be turned away');
	clock.turn(DAY_MS);
	for (let turn = 0; turn < 100; turn++) fail(`user ${turn}`, 'guess');
	t.false(mayTry('partner'), 'a day is over');
	t.true(guard.isShutOut(OFFICE));
});

test('a burst for the user of an office does not shut out those who log in well as the same user', (t) => {
	const { guard, fail, mayTry } = start();
	guard.succeeded({ address: OFFICE, userName: 'agency' });
	for (let turn = 0; turn < 1000; turn++) fail('agency', `guess ${turn}`);
	t.true(mayTry('agency'));
});

test('broken protocol still shuts out the address', (t) => {
	const { defender, guard, mayTry } = start();
	for (let turn = 0; turn < 5; turn++) defender.report(OFFICE, 'protocol-abuse');
	t.true(guard.isShutOut(OFFICE));
	t.false(mayTry('agency'));
});

test('however failures are dealt over fewer than four users, no other user is shut out', (t) => {
	const failure = fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(50).map(String));
	fc.assert(
		fc.property(fc.array(failure, { maxLength: 400 }), (failures) => {
			const { guard, fail, mayTry } = start();
			for (const [userName, secret] of failures) fail(userName, secret);
			t.true(mayTry('agency'));
			t.false(guard.isShutOut(OFFICE));
		}),
	);
});

test('ranges hold addresses as they are judged: IPv4, mapped IPv4, the /64 of IPv6', (t) => {
	const ranges = new AddressRanges(['192.0.2.0/24', ' 198.51.100.7', '2001:db8:1::/48', '2001:db8:2::5']);
	for (const inside of ['192.0.2.9', '::ffff:192.0.2.9', '198.51.100.7', '2001:db8:1:9::/64', '2001:db8:2:0::77']) {
		t.true(ranges.has(inside), inside);
	}
	for (const outside of ['192.0.3.1', '198.51.100.8', '2001:db8:3::1', 'nonsense', ''])
		t.false(ranges.has(outside), outside);
});

for (const dialect of databases) {
	test(`${dialect}: who is allowed, by settings, by an operator, and for one account`, async (t) => {
		const database = await openTestDatabase(t, dialect);
		const parts = { database, logger: { warn: () => t.fail() } as never, ranges: ['198.51.100.0/24'] };
		const allowed = await openAllowed(parts);
		t.teardown(() => allowed.close());
		const { guard, fail, mayTry } = start(allowed);
		const store = allowedStore(database.knex);
		t.true(await store.add(undefined, '203.0.113.5', 1));
		t.false(await store.add(undefined, '203.0.113.5', 2));
		await allowed.refresh();
		for (const address of ['198.51.100.9', '203.0.113.5']) {
			for (let turn = 0; turn < 100; turn++) fail(`user ${turn}`, 'x', 1, address);
			t.true(mayTry('anybody', address));
			t.false(guard.isShutOut(address));
		}
		const [{ id }] = await database
			.knex('accounts')
			.insert({ user_id: 'agency', kind: 'primary', cvv_retention: false, allowance_used: 0, created_at: 1 })
			.returning('id');
		t.true(await store.add(Number(id), '192.0.2.0/24', 3));
		await allowed.refresh();
		for (let turn = 0; turn < 100; turn++) fail(`user ${turn}`, 'x');
		t.true(mayTry('agency'));
		t.false(mayTry('partner'));
		t.false(guard.isShutOut(OFFICE));
		t.deepEqual(
			(await store.list()).map(({ range, user_id }) => [range, user_id]),
			[
				['203.0.113.5', null],
				['192.0.2.0/24', 'agency'],
			],
		);
		t.true(await store.remove(Number(id), '192.0.2.0/24'));
		await allowed.refresh();
		t.true(guard.isShutOut(OFFICE));
	});
}

test('of several processes, each knows the failures and logins of the others', (t) => {
	const ends = connectedSiblings(2);
	const [one, other] = ends.map((siblings) => start(nobodyAllowed, siblings));
	for (let turn = 0; turn < 500; turn++) for (const { fail } of [one, other]) fail('agency', 'old key');
	const reports = [one, other].flatMap(({ defender }) => defender.takeReports(100));
	const scored = reports.reduce(
		(sum, { address, points }) => sum + (address === userKey(OFFICE, 'agency') ? points : 0),
		0,
	);
	t.is(scored, defaultDefenderSettings.scoreLimit / 4, 'the part of one credential is that of all processes');

	one.guard.succeeded({ address: OFFICE, userName: 'partner' });
	for (let user = 0; user < 20; user++)
		for (let turn = 0; turn < 20; turn++) other.fail(`guess ${user}`, `guess ${turn}`);
	t.false(other.mayTry('agency'), 'the address is banned');
	t.true(other.mayTry('partner'), 'a user who logged in through the other process may go on');
	t.false(other.guard.isShutOut(OFFICE));
});
