import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import test from 'ava';
import { exitOnUncaught, Releases, runUntilSignal, withReleases } from '../src/base/lifecycle.ts';
import { openLogger } from '../src/base/log/log.ts';

const quiet = openLogger({ level: 'silent' });

test('releases run last in, first out', async (t) => {
	const order: string[] = [];
	const releases = new Releases();
	releases.add('database', () => void order.push('database'));
	const server = releases.opened('server', { close: async () => void order.push('server'), port: 7 });
	t.is(server.port, 7);
	await releases.release();
	t.deepEqual(order, ['server', 'database']);
});

test('every release runs although one fails, and the first error is kept', async (t) => {
	const order: string[] = [];
	const releases = new Releases();
	releases.add('database', () => void order.push('database'));
	releases.add('workers', () => Promise.reject(new Error('workers failed')));
	releases.add('server', () => {
		throw new Error('server failed');
	});
	await t.throwsAsync(releases.release(), { message: 'server failed' });
	t.deepEqual(order, ['database']);
});

test('a second release is refused, and so is opening after it', async (t) => {
	const releases = new Releases();
	await releases.release();
	await t.throwsAsync(releases.release(), { message: /released twice/ });
	t.throws(() => releases.add('late', () => {}), { message: /late was opened after the release/ });
});

test('a start that fails halfway releases exactly what was opened and throws what stopped it', async (t) => {
	const order: string[] = [];
	const opening = withReleases(async (releases) => {
		releases.add('database', () => {
			order.push('database');
			throw new Error('closing failed too');
		});
		throw new Error('port in use');
	});
	await t.throwsAsync(opening, { message: 'port in use' });
	t.deepEqual(order, ['database']);
});

test('a start that succeeds releases nothing by itself', async (t) => {
	let isReleased = false;
	const releases = await withReleases(async (opened) => {
		opened.add('database', () => {
			isReleased = true;
		});
		return opened;
	});
	t.false(isReleased);
	await releases.release();
	t.true(isReleased);
});

/** Returns a process that only notes how it would have ended. */
function fakeProcess() {
	const exits: number[] = [];
	return Object.assign(new EventEmitter(), { exits, exit: (code: number) => void exits.push(code) });
}

for (const signal of ['SIGTERM', 'SIGINT']) {
	test(`${signal} stops once and gives 0; no listener is left`, async (t) => {
		const host = fakeProcess();
		let stops = 0;
		const open = async () => ({ close: async () => void stops++ });
		const running = runUntilSignal({ logger: quiet, open, deadlineMs: 1000, host });
		host.emit(signal, signal);
		t.is(await running, 0);
		t.is(stops, 1);
		t.deepEqual(host.exits, []);
		t.deepEqual(host.eventNames(), []);
	});
}

test('SIGHUP stops nothing where no terminal was closed, or somebody reloads on it', async (t) => {
	for (const isInTerminal of [false, true]) {
		const host = fakeProcess();
		const reload = () => {};
		if (isInTerminal) host.on('SIGHUP', reload);
		let stops = 0;
		const open = async () => ({ close: async () => void stops++ });
		const running = runUntilSignal({ logger: quiet, open, deadlineMs: 1000, host, isInTerminal });
		await new Promise(setImmediate);
		t.true(host.emit('SIGHUP', 'SIGHUP'), 'unheard, it ends the process');
		await new Promise(setImmediate);
		t.is(stops, 0);
		host.emit('SIGTERM', 'SIGTERM');
		t.is(await running, 0);
		t.is(host.listenerCount('SIGHUP'), isInTerminal ? 1 : 0);
	}
});

test('a terminal that is closed stops what runs in it, once, however often it says so', async (t) => {
	const host = fakeProcess();
	let stops = 0;
	const open = async () => ({ close: async () => void stops++ });
	const running = runUntilSignal({ logger: quiet, open, deadlineMs: 1000, host, isInTerminal: true });
	host.emit('SIGHUP', 'SIGHUP');
	host.emit('SIGHUP', 'SIGHUP');
	t.is(await running, 0);
	t.is(stops, 1);
	t.deepEqual(host.exits, []);
});

test('a second signal ends the process at once with the code of the signal', async (t) => {
	const host = fakeProcess();
	const stopping = Promise.withResolvers<void>();
	const open = async () => ({ close: () => stopping.promise });
	const running = runUntilSignal({ logger: quiet, open, deadlineMs: 10_000, host });
	host.emit('SIGTERM', 'SIGTERM');
	await new Promise(setImmediate);
	host.emit('SIGINT', 'SIGINT');
	t.deepEqual(host.exits, [130]);
	stopping.resolve();
	await running;
});

test('a stop that hangs is ended by the watchdog, which names what hangs', async (t) => {
	const host = fakeProcess();
	const lines: string[] = [];
	const logger = openLogger({ level: 'error', destination: { write: (line) => void lines.push(line) } });
	const stopping = Promise.withResolvers<void>();
	const open = async () => ({ close: () => stopping.promise, stage: () => 'sftp server' });
	const running = runUntilSignal({ logger, open, deadlineMs: 20, host });
	host.emit('SIGTERM', 'SIGTERM');
	while (host.exits.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
	t.deepEqual(host.exits, [1]);
	t.like(JSON.parse(lines[0]), { stage: 'sftp server' });
	stopping.resolve();
	await running;
});

test('a stop that fails gives 1 and is logged', async (t) => {
	const host = fakeProcess();
	const lines: string[] = [];
	const logger = openLogger({ level: 'error', destination: { write: (line) => void lines.push(line) } });
	const open = async () => ({ close: () => Promise.reject(new Error('disk full')) });
	const running = runUntilSignal({ logger, open, deadlineMs: 1000, host });
	host.emit('SIGTERM', 'SIGTERM');
	t.is(await running, 1);
	t.is(JSON.parse(lines[0]).err.message, 'disk full');
});

test('a signal that comes while opening counts when that is done', async (t) => {
	const host = fakeProcess();
	const order: string[] = [];
	const opening = Promise.withResolvers<void>();
	const open = async () => {
		await opening.promise;
		order.push('opened');
		return { close: () => void order.push('closed') };
	};
	const running = runUntilSignal({ logger: quiet, open, deadlineMs: 1000, host });
	host.emit('SIGTERM', 'SIGTERM');
	opening.resolve();
	t.is(await running, 0);
	t.deepEqual(order, ['opened', 'closed']);
	t.deepEqual(host.exits, []);
});

test('a start that fails is thrown, and no listener is left', async (t) => {
	const host = fakeProcess();
	const open = () => Promise.reject(new Error('port in use'));
	await t.throwsAsync(runUntilSignal({ logger: quiet, open, deadlineMs: 1000, host }), { message: 'port in use' });
	t.deepEqual(host.eventNames(), []);
});

for (const event of ['uncaughtException', 'unhandledRejection']) {
	test(`${event} is logged and ends the process with 70`, (t) => {
		const host = fakeProcess();
		const lines: string[] = [];
		const logger = openLogger({ level: 'fatal', destination: { write: (line) => void lines.push(line) } });
		const forget = exitOnUncaught(logger, host);
		host.emit(event, new Error('surprise'));
		t.deepEqual(host.exits, [70]);
		t.is(JSON.parse(lines[0]).err.message, 'surprise');
		forget();
		t.deepEqual(host.eventNames(), []);
	});
}

test('a real process drains on a real SIGTERM', async (t) => {
	const script = `
		import { runUntilSignal } from ${JSON.stringify(new URL('../src/base/lifecycle.ts', import.meta.url).href)};
		import { openLogger } from ${JSON.stringify(new URL('../src/base/log/log.ts', import.meta.url).href)};
		const running = runUntilSignal({
			logger: openLogger({ level: 'info' }),
			deadlineMs: 10_000,
			open: async () => {
				const alive = setInterval(() => {}, 1000);
				console.log('ready');
				return { close: async () => { clearInterval(alive); console.log('drained'); } };
			},
		});
		process.exitCode = await running;
	`;
	const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
		stdio: ['ignore', 'pipe', 'pipe'],
	});
	t.teardown(() => child.kill('SIGKILL'));
	let said = '';
	let logged = '';
	child.stderr.on('data', (bytes) => {
		logged += bytes;
	});
	child.stdout.on('data', (bytes) => {
		said += bytes;
		if (said === 'ready\n') child.kill('SIGTERM');
	});
	const [code] = await once(child, 'close');
	t.is(code, 0);
	t.is(said, 'ready\ndrained\n');
	t.regex(logged, /"signal":"SIGTERM".*"msg":"stopping"/);
});
