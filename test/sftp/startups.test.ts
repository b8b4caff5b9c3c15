import test from 'ava';
import fc from 'fast-check';
import { addressBlock, KnownAddresses, type Startup, Startups } from '../../src/doors/sftp/ssh/startups.ts';
import { connectedSiblings } from '../helpers/connected-siblings.ts';

const limits = { maxStartups: 5, reservedStartups: 2, maxStartupsPerAddress: 4, silentStartupMs: 2_000 };

function open(more: Partial<typeof limits> = {}) {
	let nowMs = 0;
	const clock = { now: () => new Date(nowMs) };
	const startups = new Startups({ ...limits, ...more }, clock);
	const dropped: string[] = [];
	return {
		startups,
		dropped,
		clock,
		wait(ms: number) {
			nowMs += ms;
		},
		enter: (address: string, name = address) => startups.enter(address, () => void dropped.push(name)).startup,
	};
}

test('a newcomer takes the place of the oldest of the block that holds most', (t) => {
	const { enter, dropped } = open();
	enter('192.0.2.1');
	enter('198.51.100.1', 'older');
	enter('198.51.100.2', 'newer');
	enter('203.0.113.1');
	t.deepEqual(dropped, ['older']);
});

test('a connection that is silent for seconds is dropped before any that has named its version', (t) => {
	const { enter, dropped, wait } = open();
	enter('198.51.100.1').hasGreeted = true;
	enter('198.51.100.2').hasGreeted = true;
	enter('192.0.2.1', 'silent');
	wait(2_000);
	enter('203.0.113.1');
	t.deepEqual(dropped, ['silent']);
});

test('addresses that logged in before have places that nobody else can take, for a day', (t) => {
	const { startups, enter, dropped, wait } = open();
	startups.logIn(enter('192.0.2.1'));
	for (let turn = 0; turn < 10; turn += 1) enter(`198.51.${turn}.1`, 'unknown');
	t.is(startups.size, 3, 'unknown addresses get the common places alone');
	const earlier = dropped.length;
	enter('192.0.2.1', 'known');
	t.is(startups.size, 4);
	for (let turn = 10; turn < 30; turn += 1) enter(`198.51.${turn}.1`, 'unknown');
	t.is(dropped.length, earlier + 20);
	t.false(dropped.includes('known'));
	wait(24 * 3_600_000);
	enter('192.0.2.1', 'forgotten');
	t.is(startups.size, 4, 'it competes for the common places again');
});

test('known addresses use common places that are free, and drop no unknown one for it', (t) => {
	const { startups, enter, dropped } = open();
	startups.logIn(enter('192.0.2.1'));
	for (const name of ['first', 'second', 'third']) enter('192.0.2.1', name);
	t.deepEqual(dropped, []);
	enter('198.51.100.1', 'unknown');
	enter('198.51.100.2', 'unknown');
	enter('192.0.2.1', 'fourth');
	t.deepEqual(dropped, ['first']);
});

test('an address at its limit loses one of its own connections, and this is reported', (t) => {
	const { startups, enter, dropped } = open({ maxStartups: 20, maxStartupsPerAddress: 2 });
	enter('192.0.2.1', 'first');
	enter('192.0.2.1', 'second');
	t.true(startups.enter('192.0.2.1', () => {}).isOverItsLimit);
	t.deepEqual(dropped, ['first']);
	t.false(startups.enter('198.51.100.1', () => {}).isOverItsLimit);
});

test('places given and taken back in any order are never more than allowed, and none is lost', (t) => {
	const step = fc.record({ address: fc.nat(6), action: fc.constantFrom('enter', 'leave', 'log in', 'greet') });
	const check = (steps: { address: number; action: string }[]) => {
		const { startups, wait } = open();
		const held = new Set<Startup>();
		for (const { address, action } of steps) {
			wait(500);
			const last = [...held].at(address - 7);
			if (action === 'enter') {
				const { startup } = startups.enter(`192.0.${address >> 1}.${address}`, () => {});
				held.add(startup);
				for (const other of held) if (other.wasDropped) held.delete(other);
				if (startup.wasDropped) return false;
			} else if (last && action === 'greet') last.hasGreeted = true;
			else if (last) {
				if (action === 'leave') startups.leave(last);
				else startups.logIn(last);
				startups.leave(last);
				held.delete(last);
			}
			if (startups.size !== held.size || startups.size > limits.maxStartups) return false;
		}
		return true;
	};
	fc.assert(fc.property(fc.array(step, { maxLength: 60 }), check));
	t.pass();
});

test('with one place in all it goes to the newcomer, however many were to be kept', (t) => {
	const { startups, enter, dropped } = open({ maxStartups: 1, reservedStartups: 20 });
	startups.logIn(enter('192.0.2.1'));
	enter('192.0.2.1', 'known');
	enter('198.51.100.1');
	t.deepEqual(dropped, ['known']);
	t.is(startups.size, 1);
});

test('no more than ten thousand known addresses are remembered, the latest ones', (t) => {
	const known = new KnownAddresses({ now: () => new Date(0) });
	for (let index = 0; index < 10_010; index += 1) known.add(`10.0.${index >> 8}.${index & 255}`);
	t.is(known.size, 10_000);
	t.false(known.has('10.0.0.9'));
	t.true(known.has('10.0.0.10'));
});

test('an IPv4 address belongs to its /24 and an IPv6 address to its /56', (t) => {
	t.is(addressBlock('192.0.2.77'), '192.0.2.0/24');
	t.is(addressBlock('2001:db8:1:2ff::/64'), '2001:db8:1:200::/56');
	t.is(addressBlock('2001:db8:1:2::/64'), '2001:db8:1:0::/56');
});

test('an address that logged in through another process is known here, too', (t) => {
	const clock = { now: () => new Date(0) };
	const [one, other] = connectedSiblings(2).map((siblings) => new Startups(limits, clock, siblings));
	const dropped: string[] = [];
	const enter = (startups: Startups, address: string) => startups.enter(address, () => void dropped.push(address));
	one.logIn(enter(one, '192.0.2.1').startup);
	for (let block = 0; block < 3; block++) enter(other, `198.51.${block}.1`);
	enter(other, '192.0.2.1');
	t.deepEqual(dropped, [], 'it has a reserved place');
	enter(other, '198.51.9.1');
	t.deepEqual(dropped, ['198.51.0.1'], 'an unknown address has none');
});
