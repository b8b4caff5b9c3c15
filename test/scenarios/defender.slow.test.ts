// Whoever is shut out at one daemon is shut out at all of them, also after a restart, until an operator lifts the ban.

import { setTimeout as sleep } from 'node:timers/promises';
import { type Installation, openInstallation, type RunningDaemon } from '../helpers/daemon.ts';
import { demoDoor, opensshSftp } from '../helpers/daemon-clients.ts';
import { testNeeding } from '../helpers/test-needing.ts';
import { until } from '../helpers/until.ts';

const sshTest = testNeeding('OpenSSH (openssh-client)');

const FAILURES = 4;

async function codeOf(installation: Installation, daemon: RunningDaemon, guess?: string): Promise<number | null> {
	const door = demoDoor(installation, daemon);
	return (await opensshSftp(guess === undefined ? door : { ...door, userName: guess, password: guess }, ['ls'])).code;
}

/** Tells whether a ban is of a whole address, not of one user there. */
const isOfAddress = ({ address }: { address: string }) => !address.includes(' ');

const statusWith = async ({ baseUrl }: RunningDaemon, apiKey: string) =>
	(await fetch(`${baseUrl}/api/payments/paycard/meta?num=1`, { headers: { 'x-service-api-key': apiKey } })).status;

sshTest.serial(
	'two daemons on one PostgreSQL: who fails at one is refused at the other, and after a restart',
	async (t) => {
		// A wrong password counts 5 points.
		const variables = { TOKENDROP_DEFENDER_SCORE_LIMIT: String(5 * FAILURES) };
		const installation = await openInstallation(t, { dialect: 'postgres', variables });
		const [one, other] = [await installation.start(), await installation.start()];
		for (let turn = 0; turn < FAILURES; turn++) t.is(await codeOf(installation, one, `guess-${turn}`), 255);
		t.is(await codeOf(installation, one), 255);
		await until('the ban is told', async () => (await installation.json('ban', 'list')).some(isOfAddress), {
			withinMs: 10_000,
		});
		// The other daemon is not asked meanwhile, because whoever has logged in well is let in from then on. Daemons hear of
		// bans every second.
		await sleep(2500);
		t.is(await codeOf(installation, other), 255);
		t.is(await statusWith(other, installation.demo.apiKey), 200, 'the door over HTTP judges for itself');

		t.is(await other.stop(), 0);
		const again = await installation.start();
		t.is(await codeOf(installation, again), 255, 'a restart forgets nothing');

		const [{ address, door }] = (await installation.json('ban', 'list')).filter(isOfAddress);
		t.is(door, 'sftp');
		t.deepEqual((await installation.json('ban', 'lift', '--address', address)).lifted, ['sftp']);
		for (const daemon of [one, again]) {
			await until('a lifted ban ends', async () => (await codeOf(installation, daemon)) === 0, { everyMs: 200 });
		}
		for (let turn = 0; turn < FAILURES; turn++) t.is(await codeOf(installation, one, `again-${turn}`), 255);
		t.is(await codeOf(installation, one, 'stranger'), 255);
		t.is(await codeOf(installation, one), 0, 'who logged in well is let in beside them');

		for (let turn = 0; turn < 100; turn++) t.is(await statusWith(turn % 2 ? one : again, 'wrong'), 401);
		for (const daemon of [one, again]) {
			await until('the limit of failed logins holds', async () => (await statusWith(daemon, 'wrong')) === 429);
			t.is(await statusWith(daemon, installation.demo.apiKey), 200, 'never with a valid credential');
		}
		for (const daemon of [one, again]) t.is(await daemon.stop(), 0);
	},
);
