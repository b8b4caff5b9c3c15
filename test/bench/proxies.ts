// What relay is compared with: nginx that passes on without a look, mitmproxy with a script that rewrites, and the target
// all of them call. Debian's packages.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('baselines/rewrite_proxy.py', import.meta.url));
const READY_WITHIN_MS = 20_000;

export interface Proxies {
	readonly targetUrl: string;
	readonly nginxUrl: string;
	readonly mitmproxyUrl: string;
	close(): Promise<void>;
}

/** Starts all three on free ports. `cards`: token → number, for the script. */
export async function openProxies(
	folder: string,
	ports: { target: number; nginx: number; mitmproxy: number },
	cards: Readonly<Record<string, string>>,
): Promise<Proxies> {
	const prefix = join(folder, 'nginx');
	for (const name of ['', 'body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'])
		mkdirSync(join(prefix, name), { recursive: true });
	writeFileSync(join(prefix, 'nginx.conf'), nginxConfig(prefix, ports));
	const targetUrl = `http://127.0.0.1:${ports.target}`;
	const processes = [
		spawn('nginx', ['-p', prefix, '-c', 'nginx.conf', '-g', 'daemon off;'], { stdio: 'ignore' }),
		spawn(
			'mitmdump',
			[
				...['--mode', `reverse:${targetUrl}`, '--listen-host', '127.0.0.1', '--listen-port', String(ports.mitmproxy)],
				...['-q', '--set', 'termlog_verbosity=error', '--set', `confdir=${join(folder, 'mitmproxy')}`, '-s', SCRIPT],
			],
			{ stdio: 'ignore', env: { ...process.env, CARDS: JSON.stringify(cards) } },
		),
	];
	for (const port of Object.values(ports)) await listening(port);
	return {
		targetUrl,
		nginxUrl: `http://127.0.0.1:${ports.nginx}`,
		mitmproxyUrl: `http://127.0.0.1:${ports.mitmproxy}`,
		close: async () => void (await Promise.all(processes.map(ended))),
	};
}

/** The target answers 200 with half a kilobyte; the proxy keeps its connections. */
function nginxConfig(prefix: string, { target, nginx }: { target: number; nginx: number }): string {
	const answer = JSON.stringify({ status: 'confirmed', reference: 'ABC123', note: 'n'.repeat(450) });
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
		location / { default_type application/json; return 200 '${answer}'; }
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
		if (Date.now() > until) throw new Error(`nothing listens on port ${port}: are nginx and mitmproxy installed?`);
		await sleep(100);
	}
}

async function ended(child: ChildProcess): Promise<void> {
	if (child.exitCode !== null) return;
	const gone = new Promise((resolve) => child.once('exit', resolve));
	child.kill('SIGTERM');
	await gone;
}
