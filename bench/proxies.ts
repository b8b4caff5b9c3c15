// Starts what relay is compared with: nginx that passes bodies on without reading them, mitmproxy with a script that
// rewrites them, and the target that all of them call. The programs are those of Debian's packages; a proxy that the
// machine lacks is left out.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../test/helpers/free-port.ts';
import { findMissingPrograms } from './missing.ts';

const SCRIPT = fileURLToPath(new URL('baselines/rewrite_proxy.py', import.meta.url));
const TARGET = fileURLToPath(new URL('relay-target.ts', import.meta.url));
const READY_WITHIN_MS = 20_000;
/** The answer of the target, which is half a kilobyte long. */
const ANSWER = JSON.stringify({ status: 'confirmed', reference: 'ABC123', note: 'n'.repeat(450) });

export interface Proxies {
	readonly targetUrl: string;
	/** The program that serves the target: nginx, or Node if there is no nginx. Node takes more of the machine. */
	readonly targetProgram: 'nginx' | 'Node';
	/** The addresses of the proxies whose programs this machine has. */
	readonly others: { readonly nginx?: string; readonly mitmproxy?: string };
	close(): Promise<void>;
}

/** Starts the target and the proxies on free ports. `cards` gives the script the number for each token. */
export async function openProxies(folder: string, cards: Readonly<Record<string, string>>): Promise<Proxies> {
	const ports = { target: await freePort(), nginx: await freePort(), mitmproxy: await freePort() };
	const has = (program: string) => findMissingPrograms(program).length === 0;
	const urlOf = (port: number) => `http://127.0.0.1:${port}`;
	const hasNginx = has('nginx');
	const hasMitmproxy = has('mitmdump');
	const children = [
		hasNginx ? startNginx(folder, ports) : startTarget(ports.target),
		...(hasMitmproxy ? [startMitmproxy(folder, ports, cards)] : []),
	];
	const close = async () => void (await Promise.all(children.map(ended)));
	try {
		await listening(ports.target);
		if (hasNginx) await listening(ports.nginx);
		if (hasMitmproxy) await listening(ports.mitmproxy);
	} catch (error) {
		await close();
		throw error;
	}
	return {
		targetUrl: urlOf(ports.target),
		targetProgram: hasNginx ? 'nginx' : 'Node',
		others: {
			...(hasNginx && { nginx: urlOf(ports.nginx) }),
			...(hasMitmproxy && { mitmproxy: urlOf(ports.mitmproxy) }),
		},
		close,
	};
}

/** Starts one nginx that is both the target and a proxy. */
function startNginx(folder: string, ports: { target: number; nginx: number }): ChildProcess {
	const prefix = join(folder, 'nginx');
	for (const name of ['', 'body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'])
		mkdirSync(join(prefix, name), { recursive: true });
	writeFileSync(join(prefix, 'nginx.conf'), nginxConfig(prefix, ports));
	return spawn('nginx', ['-p', prefix, '-c', 'nginx.conf', '-g', 'daemon off;'], { stdio: 'ignore' });
}

function startTarget(port: number): ChildProcess {
	return spawn(process.execPath, [TARGET, String(port), ANSWER], { stdio: 'ignore' });
}

function startMitmproxy(
	folder: string,
	ports: { target: number; mitmproxy: number },
	cards: Readonly<Record<string, string>>,
): ChildProcess {
	const mode = ['--mode', `reverse:http://127.0.0.1:${ports.target}`];
	const listen = ['--listen-host', '127.0.0.1', '--listen-port', String(ports.mitmproxy)];
	const quiet = ['-q', '--set', 'termlog_verbosity=error', '--set', `confdir=${join(folder, 'mitmproxy')}`];
	const env = { ...process.env, CARDS: JSON.stringify(cards) };
	return spawn('mitmdump', [...mode, ...listen, ...quiet, '-s', SCRIPT], { stdio: 'ignore', env });
}

/** Returns a configuration in which the target answers 200 and the proxy keeps its connections to it. */
function nginxConfig(prefix: string, { target, nginx }: { target: number; nginx: number }): string {
	return `
worker_processes auto;
pid ${prefix}/nginx.pid;
error_log /dev/null crit;
events { worker_connections 4096; }
http {
	access_log off;
	client_body_temp_path ${prefix}/body;
	proxy_temp_path ${prefix}/proxy;
	fastcgi_temp_path ${prefix}/fastcgi;
	uwsgi_temp_path ${prefix}/uwsgi;
	scgi_temp_path ${prefix}/scgi;
	keepalive_requests 1000000000;
	upstream target { server 127.0.0.1:${target}; keepalive 128; keepalive_requests 1000000000; }
	server {
		listen 127.0.0.1:${target} reuseport;
		location / { default_type application/json; return 200 '${ANSWER}'; }
	}
	server {
		listen 127.0.0.1:${nginx} reuseport;
		location / { proxy_pass http://target; proxy_http_version 1.1; proxy_set_header Connection ''; }
	}
}
`;
}

async function listening(port: number): Promise<void> {
	const until = Date.now() + READY_WITHIN_MS;
	for (;;) {
		const isOpen = await new Promise<boolean>((resolve) => {
			const socket = connect(port, '127.0.0.1');
			socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
			socket.once('connect', () => socket.destroy());
		});
		if (isOpen) return;
		if (Date.now() > until) throw new Error(`nothing listens on port ${port} after ${READY_WITHIN_MS / 1000} s`);
		await sleep(100);
	}
}

async function ended(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null || child.signalCode !== null) return;
	const gone = new Promise((resolve) => child.once('exit', resolve));
	child.kill('SIGTERM');
	await gone;
}
