import test from 'ava';
import { ServiceError } from '../../src/base/errors.ts';
import { LoginRefusedError } from '../../src/base/outbound/sftp/sftp-failures.ts';
import { RestingHosts } from '../../src/work/routes/places/resting-hosts.ts';
import { HostRestsError } from '../../src/work/routes/runs/run-errors.ts';
import { turnableClock } from '../helpers/vault-parts.ts';

const away = async () => {
	throw new ServiceError('target-unreachable', { field: 'host', problem: 'the connection was refused' });
};
const answers = async () => 'connected';

test('a host that does not answer is left alone for a while, ever longer, and no other host is', async (t) => {
	const clock = turnableClock();
	const hosts = new RestingHosts(clock);
	let calls = 0;
	const calledAway = () => {
		calls++;
		return away();
	};
	for (const [nth, restMs] of [15_000, 30_000, 60_000, 120_000, 240_000, 300_000, 300_000].entries()) {
		await t.throwsAsync(hosts.calling('down.example', false, calledAway), { instanceOf: ServiceError });
		t.is(calls, nth + 1);
		clock.turn(restMs - 1);
		await t.throwsAsync(hosts.calling('down.example', false, calledAway), { instanceOf: HostRestsError });
		t.is(calls, nth + 1, 'another route to it does not wait for it');
		t.is(await hosts.calling('up.example', false, answers), 'connected');
		clock.turn(1);
	}
	t.is(await hosts.calling('down.example', false, answers), 'connected', 'its rest is over');
	t.is(await hosts.calling('down.example', false, answers), 'connected');
});

test('a host that rests is called if somebody waits for that, and one that refuses a login does not rest', async (t) => {
	const hosts = new RestingHosts(turnableClock());
	await t.throwsAsync(hosts.calling('down.example', false, away));
	t.is(await hosts.calling('down.example', true, answers), 'connected');
	t.is(await hosts.calling('down.example', false, answers), 'connected', 'it has answered');
	const refuse = async () => {
		throw new LoginRefusedError('the key was not accepted', undefined);
	};
	await t.throwsAsync(hosts.calling('strict.example', false, refuse), { instanceOf: LoginRefusedError });
	t.is(await hosts.calling('strict.example', false, answers), 'connected');
});

test('of all who want a host that was down, one finds out whether it is back, and the others take no time', async (t) => {
	const clock = turnableClock();
	const hosts = new RestingHosts(clock);
	await t.throwsAsync(hosts.calling('down.example', false, away), { instanceOf: ServiceError });
	clock.turn(15_000);
	const answer = Promise.withResolvers<string>();
	const first = hosts.calling('down.example', false, () => answer.promise);
	for (let nth = 0; nth < 3; nth++) {
		await t.throwsAsync(hosts.calling('down.example', false, answers), { instanceOf: HostRestsError });
	}
	answer.resolve('connected');
	t.is(await first, 'connected');
	t.is(await hosts.calling('down.example', false, answers), 'connected');
});
