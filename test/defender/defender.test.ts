import test from 'ava';
import {
	type DefenderSettings,
	defaultDefenderSettings,
	defendedAddress,
	openDefender,
} from '../../src/base/defender/defender.ts';

function start(settings: Partial<DefenderSettings> = {}) {
	let nowMs = Date.parse('2026-11-21T00:00:00Z');
	const clock = { now: () => new Date(nowMs) };
	const defender = openDefender(clock, { ...defaultDefenderSettings, ...settings });
	return {
		...defender,
		advance(ms: number): void {
			nowMs += ms;
		},
		fail(address: string, times: number): void {
			for (let turn = 0; turn < times; turn += 1) defender.report(address, 'login-failed');
		},
	};
}

test('failed logins within the window ban an address, and no other', (t) => {
	const defender = start();
	defender.fail('192.0.2.1', 19);
	t.false(defender.isBanned('192.0.2.1'));
	defender.fail('192.0.2.1', 1);
	t.true(defender.isBanned('192.0.2.1'));
	t.false(defender.isBanned('192.0.2.2'));
});

test('protocol abuse weighs more than a failed login', (t) => {
	const defender = start();
	for (let turn = 0; turn < 5; turn += 1) defender.report('192.0.2.1', 'protocol-abuse');
	t.true(defender.isBanned('192.0.2.1'));
});

test('a ban ends, and the address starts anew', (t) => {
	const defender = start();
	defender.fail('192.0.2.1', 20);
	defender.advance(defaultDefenderSettings.banMs - 1);
	t.true(defender.isBanned('192.0.2.1'));
	defender.advance(1);
	t.false(defender.isBanned('192.0.2.1'));
	defender.fail('192.0.2.1', 1);
	t.false(defender.isBanned('192.0.2.1'));
});

test('events older than the window do not count any more', (t) => {
	const defender = start();
	defender.fail('192.0.2.1', 19);
	defender.advance(2 * defaultDefenderSettings.windowMs);
	defender.fail('192.0.2.1', 19);
	t.false(defender.isBanned('192.0.2.1'));
});

test('failures on both sides of a window boundary count together', (t) => {
	const defender = start();
	defender.fail('192.0.2.1', 1);
	defender.advance(defaultDefenderSettings.windowMs - 1);
	defender.fail('192.0.2.1', 18);
	defender.advance(1);
	defender.fail('192.0.2.1', 1);
	t.true(defender.isBanned('192.0.2.1'));
});

test('an exempt address is never banned', (t) => {
	const defender = start({ exempt: ['192.0.2.1'] });
	defender.fail('192.0.2.1', 100);
	t.false(defender.isBanned('192.0.2.1'));
});

test('a flood of addresses is forgotten from the oldest, and the latest offender stays known', (t) => {
	const defender = start({ maxAddresses: 100 });
	defender.fail('192.0.2.1', 19);
	for (let index = 0; index < 99; index += 1) defender.fail(`198.51.100.${index}`, 1);
	defender.fail('192.0.2.1', 1);
	t.true(defender.isBanned('192.0.2.1'));
	const other = start({ maxAddresses: 100 });
	other.fail('192.0.2.1', 19);
	for (let index = 0; index < 100; index += 1) other.fail(`198.51.100.${index}`, 1);
	other.fail('192.0.2.1', 1);
	t.false(other.isBanned('192.0.2.1'));
});

const defends = test.macro({
	exec(t, address: string, key: string) {
		t.is(defendedAddress(address), key);
		t.is(defendedAddress(key), key);
	},
	title: (_, address, key) => `${address} is judged as ${key}`,
});
test(defends, '192.0.2.1', '192.0.2.1');
test(defends, '::ffff:192.0.2.1', '192.0.2.1');
test(defends, '2001:db8:0:1:aaaa:bbbb:cccc:dddd', '2001:db8:0:1::/64');
test(defends, '2001:DB8::1', '2001:db8:0:0::/64');
test(defends, '2001:db8:0:1::5', '2001:db8:0:1::/64');
test(defends, '::1', '0:0:0:0::/64');
test(defends, 'fe80::1%eth0', 'fe80:0:0:0::/64');
test(defends, 'x'.repeat(100), 'x'.repeat(64));
