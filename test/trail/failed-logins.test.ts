import test from 'ava';
import fc from 'fast-check';
import type { AuditEntry } from '../../src/trail/entry.ts';
import { openFailedLogins, UNKNOWN_KEY } from '../../src/trail/failed-logins.ts';

const MINUTE_MS = 60_000;

function open({ isDown = false } = {}) {
	const entries: AuditEntry[] = [];
	const warnings: string[] = [];
	let nowMs = Date.parse('2026-11-21T12:00:00Z');
	let described = 0;
	const failedLogins = openFailedLogins({
		audit: {
			async record(entry) {
				if (isDown) throw new Error('database away');
				entries.push(entry);
			},
		},
		logger: { warn: (_fields: object, message: string) => void warnings.push(message) } as never,
		clock: { now: () => new Date(nowMs) },
	});
	const fail = (address: string, door: 'sftp' | 'http' = 'sftp', reason = 'wrong credential') =>
		failedLogins.note({
			...{ door, address, method: 'password', reason },
			async describe() {
				described += 1;
				return { userId: 'agency', credential: 'api-key 7' };
			},
		});
	const turn = (ms: number) => {
		nowMs += ms;
	};
	return { entries, warnings, fail, turn, failedLogins, described: () => described };
}

test('a few failures of an address have entries of their own, the others are one with their number', async (t) => {
	const { entries, fail, failedLogins, described } = open();
	for (let turn = 0; turn < 1_000; turn += 1) fail('192.0.2.1');
	await failedLogins.close();
	t.deepEqual(
		entries.map(({ details }) => details?.count),
		[1, 1, 1, 1, 1, 995],
	);
	t.is(described(), 5);
	t.like(entries[0], { actor: 'unknown', action: 'login.failed', subject: 'account agency' });
	t.like(entries[0].details, { door: 'sftp', address: '192.0.2.1', method: 'password', credential: 'api-key 7' });
	t.like(entries[5].details, { door: 'sftp', address: '192.0.2.1', since: '2026-11-21T12:00:00.000Z' });
});

test('keys that were only offered are counted apart from failures', async (t) => {
	const { entries, fail, failedLogins } = open();
	for (let turn = 0; turn < 24; turn += 1) fail('192.0.2.1', 'sftp', UNKNOWN_KEY);
	fail('192.0.2.1');
	await failedLogins.close();
	const seen = entries.map(({ details }) => [details?.reason, details?.count]);
	const single = Array.from({ length: 5 }, () => [UNKNOWN_KEY, 1]);
	t.deepEqual(seen, [...single, ['wrong credential', 1], [UNKNOWN_KEY, 19]]);
});

test('counted failures are written when their window is over, and the next failure gets an entry again', async (t) => {
	const { entries, fail, turn, failedLogins } = open();
	for (let count = 0; count < 8; count += 1) fail('192.0.2.1');
	turn(10 * MINUTE_MS);
	fail('192.0.2.1');
	await failedLogins.close();
	t.deepEqual(entries.map(({ details }) => details?.count).sort(), [1, 1, 1, 1, 1, 1, 3]);
});

test('the addresses of one IPv6 network count as one', async (t) => {
	const { entries, fail, failedLogins } = open();
	for (let host = 1; host <= 20; host += 1) fail(`2001:db8::${host}`);
	await failedLogins.close();
	t.like(entries.at(-1)?.details, { address: '2001:db8:0:0::/64', count: 15 });
});

test('a trail that cannot be written costs a line in the log and no login', async (t) => {
	const { entries, warnings, fail, failedLogins } = open({ isDown: true });
	fail('192.0.2.1');
	await failedLogins.close();
	t.deepEqual([entries, warnings], [[], ['a failed login is missing in the audit trail']]);
});

const failures = fc.array(
	fc.record({ host: fc.nat(400), times: fc.integer({ min: 1, max: 30 }), door: fc.boolean() }),
	{
		maxLength: 300,
	},
);
test('for any failures from any addresses, each is counted once, and a window has few entries', async (t) => {
	await fc.assert(
		fc.asyncProperty(failures, async (given) => {
			const { entries, fail, failedLogins } = open();
			let total = 0;
			for (const { host, times, door } of given) {
				for (let turn = 0; turn < times; turn += 1) fail(`192.0.${host >> 8}.${host & 255}`, door ? 'sftp' : 'http');
				total += times;
			}
			await failedLogins.close();
			const counted = entries.reduce((sum, { details }) => sum + (details?.count as number), 0);
			return counted === total && entries.length <= 102 * 6;
		}),
		{ numRuns: 50 },
	);
	t.pass();
});
