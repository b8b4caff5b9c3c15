// A daemon on PostgreSQL with two processes under a supervisor: they serve one address each for sFTP and HTTP together, and
// one of them may die.

import { randomUUID } from 'node:crypto';
import { createConnection } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { cardJson } from '../helpers/card-calls.ts';
import { type Installation, openInstallation, type RunningDaemon } from '../helpers/daemon.ts';
import { openSession, type Session } from '../helpers/daemon-session.ts';
import { until } from '../helpers/until.ts';

const JSON_TYPE = { 'content-type': 'application/json', accept: 'application/json' };

interface Line {
	readonly msg: string;
	readonly process?: number;
	readonly pid?: number;
	readonly againInMs?: number;
}

function linesOf(daemon: RunningDaemon): Line[] {
	return daemon
		.log()
		.split('\n')
		.slice(0, -1)
		.filter((line) => line.startsWith('{'))
		.map((line) => JSON.parse(line) as Line);
}

/** Returns the pid of the process that has this number now. */
function pidOf(daemon: RunningDaemon, number: number): number {
	return lastReady(daemon, number)!.pid!;
}

function lastReady(daemon: RunningDaemon, number: number): Line | undefined {
	return linesOf(daemon).findLast(({ msg, process }) => msg === 'a process is ready' && process === number);
}

function isAlive(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}

async function start(t: ExecutionContext, variables: Record<string, string> = {}) {
	const installation = await openInstallation(t, {
		dialect: 'postgres',
		variables: { TOKENDROP_PROCESSES: '2', TOKENDROP_WORKERS: '2', ...variables },
	});
	const daemon = await installation.start();
	// Lines of the log may come a little later than what the daemon says on standard output.
	await until('both processes are named in the log', () => [1, 2].every((number) => lastReady(daemon, number)));
	return { installation, daemon };
}

/** Opens sessions, and tells by the log which process has each of them. */
async function openSpread(t: ExecutionContext, installation: Installation, daemon: RunningDaemon, count: number) {
	const sessions: { readonly session: Session; readonly process: number }[] = [];
	const logins = () => linesOf(daemon).filter(({ msg }) => msg === 'sftp login');
	for (let n = 0; n < count; n++) {
		const before = logins().length;
		const session = await openSession(t, installation, daemon);
		const login = await until('the login is logged', () => logins()[before]);
		sessions.push({ session, process: login.process! });
	}
	return sessions;
}

const readyz = async ({ opsPort }: RunningDaemon) => {
	const answer = await fetch(`http://127.0.0.1:${opsPort}/readyz`);
	const body = (await answer.json()) as { status: string; processes: string; warnings?: Record<string, string> };
	return { code: answer.status, ...body };
};

const store = ({ demo }: Installation, { baseUrl }: RunningDaemon) =>
	fetch(`${baseUrl}/api/payments/paycard`, {
		method: 'POST',
		body: cardJson(),
		headers: { ...JSON_TYPE, connection: 'close', 'x-service-api-key': demo.apiKey },
	});

test.serial('two processes share sessions evenly, and limits and figures are those of both', async (t) => {
	const { installation, daemon } = await start(t, { TOKENDROP_SFTP_MAX_SESSIONS_PER_ACCOUNT: '6' });
	const ready = await readyz(daemon);
	t.deepEqual([ready.code, ready.status, ready.processes], [200, 'ok', 'ok']);

	const sessions = await openSpread(t, installation, daemon, 6);
	t.is(sessions.filter(({ process }) => process === 1).length, 3);
	await t.throwsAsync(openSession(t, installation, daemon), undefined, 'the account has six sessions in both');
	const metrics = await (await fetch(`http://127.0.0.1:${daemon.opsPort}/metrics`)).text();
	t.regex(metrics, /^tokendrop_sftp_sessions 6$/m);
	t.regex(metrics, /^tokendrop_resident_bytes\{process="1"\} \d+$/m);
	t.regex(metrics, /^tokendrop_resident_bytes\{process="2"\} \d+$/m);
	t.regex(metrics, /^tokendrop_jobs_queued 0$/m, 'what both read in the database is not added up');
	sessions[0].session.end();
	await until('a place is free', () => openSession(t, installation, daemon).catch(() => undefined));

	const statuses = await Promise.all(
		Array.from({ length: 10 }, async () => (await store(installation, daemon)).status),
	);
	t.deepEqual([...new Set(statuses)], [201]);
	t.is(await daemon.stop(), 0);
	for (const number of [1, 2]) t.false(isAlive(pidOf(daemon, number)), `process ${number}`);
});

test.serial('a process that is killed takes only its own connections along, and another takes its place', async (t) => {
	const { installation, daemon } = await start(t, { TOKENDROP_SFTP_MAX_SESSIONS_PER_ACCOUNT: '4' });
	const sessions = await openSpread(t, installation, daemon, 4);
	const closed = new Set<Session>();
	for (const { session } of sessions) session.sftp.once('close', () => closed.add(session));
	const killed = pidOf(daemon, 2);
	process.kill(killed, 'SIGKILL');
	await until('the sessions of the process end', () => closed.size === 2);
	t.true(sessions.every(({ session, process }) => closed.has(session) === (process === 2)));
	for (const { session, process } of sessions) {
		if (process === 1)
			await session.put(`/tokenize/SIMPLECSV/${randomUUID().slice(0, 8)}.csv`, Buffer.from('CardNumber\n'));
	}
	t.is((await store(installation, daemon)).status, 201);

	await until('another process is ready', () => pidOf(daemon, 2) !== killed);
	const ready = await readyz(daemon);
	t.deepEqual([ready.code, ready.processes], [200, 'ok']);
	t.deepEqual(ready.warnings?.processes, undefined);
	const again = await openSpread(t, installation, daemon, 2);
	t.true(
		again.some(({ process }) => process === 2),
		'the new process gets its part, and the places of the killed one are free',
	);
	await t.throwsAsync(openSession(t, installation, daemon), undefined, 'the account has its four sessions');
	t.is(await daemon.stop(), 0);
});

test.serial('while a process cannot be started again, the daemon serves and says so', async (t) => {
	const { installation, daemon } = await start(t);
	for (let n = 0; n < 3; n++) {
		const pid = pidOf(daemon, 1);
		process.kill(pid, 'SIGKILL');
		if (n < 2) await until('another process is ready', () => pidOf(daemon, 1) !== pid);
	}
	t.deepEqual(
		await until('the third end is logged', () => waitsOf(daemon).length === 3 && waitsOf(daemon)),
		[0, 500, 1000],
	);
	const ready = await readyz(daemon);
	t.deepEqual([ready.code, ready.status], [200, 'degraded']);
	t.is(ready.warnings?.processes, '1 of 2 processes serve');
	t.is((await store(installation, daemon)).status, 201);
	t.is(await daemon.stop(), 0, 'a stop does not wait for the next start');
});

const waitsOf = (daemon: RunningDaemon) => linesOf(daemon).flatMap(({ againInMs }) => againInMs ?? []);

test.serial('SIGTERM lets the calls of every process end, and no call is refused before it', async (t) => {
	const { installation, daemon } = await start(t, { TOKENDROP_SHUTDOWN_DRAIN_SECONDS: '20' });
	// A request whose body is on its way is a call under way.
	const { hostname, port } = new URL(daemon.baseUrl);
	const body = cardJson();
	const calls = Array.from({ length: 4 }, () => {
		const socket = createConnection(Number(port), hostname);
		t.teardown(() => socket.destroy());
		let answer = '';
		socket.setEncoding('latin1').on('data', (text) => (answer += text));
		const ended = new Promise<string>((resolve) => socket.once('close', () => resolve(answer)));
		const head = ['POST /api/payments/paycard HTTP/1.1', 'Host: x', `X-Service-Api-Key: ${installation.demo.apiKey}`];
		socket.write(
			`${[...head, 'Content-Type: application/json', `Content-Length: ${body.length}`].join('\r\n')}\r\n\r\n`,
		);
		return { socket, ended };
	});
	await sleep(500);
	const stopped = daemon.stop();
	await until('both processes stop', () => linesOf(daemon).filter(({ msg }) => msg === 'stopping').length === 3);
	for (const { socket } of calls) socket.write(body);
	for (const { ended } of calls) t.regex(await ended, /^HTTP\/1\.1 201 /);
	t.is(await stopped, 0);
	t.false(daemon.log().includes('takes too long'));
});

test.serial('when the supervisor is killed, its processes end', async (t) => {
	const { daemon } = await start(t);
	const pids = [1, 2].map((number) => pidOf(daemon, number));
	await daemon.kill();
	await until('the processes have ended', () => !pids.some(isAlive));
	t.pass();
});

test.serial('a start that fails says why once, with the exit code of a single process', async (t) => {
	const { installation, daemon } = await start(t);
	t.is(await daemon.stop(), 0);
	installation.variables.TOKENDROP_SFTP_PORT = '1';
	installation.variables.TOKENDROP_SFTP_HOST = '192.0.2.1';
	const { code, stderr } = await installation.program('serve');
	t.is(code, 1);
	const said = stderr.split('\n').filter((line) => line.includes('"error"'));
	t.is(said.length, 1, stderr);
	t.regex(said[0], /sftp\.host, sftp\.port/);
});

test.serial('SIGHUP stops no process, and a signal to a single process does not either', async (t) => {
	const { installation, daemon } = await start(t);
	process.kill(daemon.pid, 'SIGHUP');
	for (const number of [1, 2]) process.kill(pidOf(daemon, number), 'SIGTERM');
	await until('the supervisor goes on', () => linesOf(daemon).some(({ msg }) => msg === 'going on'));
	await sleep(300);
	t.is((await store(installation, daemon)).status, 201);
	t.is(await daemon.stop(), 0);
});
