// Starts a partner's server over FTPS: vsftpd, which demands TLS, and that connections for data resume its session.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { makeFolder } from './file-parts.ts';
import { freePort } from './free-port.ts';
import { VSFTPD } from './programs.ts';
import { until } from './until.ts';

export interface FtpsTestPartner {
	readonly port: number;
	/** The folder `files` that its user may write to. */
	readonly folder: string;
	readonly userName: string;
	readonly password: string;
	/** A password that the server refuses. */
	readonly wrongPassword: string;
	/** The fingerprint of its certificate, as openssl writes it. */
	readonly certificate: string;
	/** Ends it, and waits until it takes no connection any more. */
	kill(): Promise<void>;
}

const EMPTY_DIRECTORY = '/run/vsftpd/empty';

/** Starts vsftpd over a folder of its own; it ends with the test. */
export async function startFtpsPartner(t: ExecutionContext<unknown>): Promise<FtpsTestPartner> {
	const root = makeFolder(t);
	const home = join(root, 'home');
	const folder = join(home, 'files');
	mkdirSync(folder, { recursive: true });
	mkdirSync(EMPTY_DIRECTORY, { recursive: true });
	const id = (what: '-u' | '-g') => Number(execFileSync('id', [what, 'ftp'], { encoding: 'utf8' }));
	chownSync(folder, id('-u'), id('-g'));
	// The user of the server has to reach its folder through the temporary one.
	chmodSync(root, 0o755);
	const [key, pem, banned] = ['key.pem', 'certificate.pem', 'banned'].map((name) => join(root, name));
	const subject = ['-subj', '/CN=partner.example', '-days', '2'];
	execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', pem, ...subject], {
		stdio: 'ignore',
	});
	const shown = execFileSync('openssl', ['x509', '-in', pem, '-noout', '-fingerprint', '-sha256'], {
		encoding: 'utf8',
	});
	writeFileSync(banned, 'wrong\n');
	const port = await freePort();
	const config = join(root, 'vsftpd.conf');
	const lines = [
		...['background=NO', 'listen=YES', 'listen_address=127.0.0.1', `listen_port=${port}`, 'seccomp_sandbox=NO'],
		...['anonymous_enable=YES', 'local_enable=NO', 'write_enable=YES', `anon_root=${home}`, 'anon_umask=022'],
		...['anon_upload_enable=YES', 'anon_mkdir_write_enable=YES', 'anon_other_write_enable=YES'],
		...['anon_world_readable_only=NO', 'deny_email_enable=YES', `banned_email_file=${banned}`],
		...['ssl_enable=YES', 'allow_anon_ssl=YES', 'force_anon_logins_ssl=YES', 'force_anon_data_ssl=YES'],
		...['require_ssl_reuse=YES', 'ssl_ciphers=HIGH', `rsa_cert_file=${pem}`, `rsa_private_key_file=${key}`],
		...[`secure_chroot_dir=${EMPTY_DIRECTORY}`, 'pasv_address=127.0.0.1', 'connect_from_port_20=NO'],
	];
	writeFileSync(config, `${lines.join('\n')}\n`);
	const child = spawn(VSFTPD, [config], { stdio: 'ignore', detached: true });
	const kill = async () => {
		if (child.exitCode !== null || child.signalCode !== null) return;
		const ended = once(child, 'exit');
		process.kill(-child.pid!, 'SIGKILL');
		await ended;
	};
	t.teardown(kill);
	await until('vsftpd listens', () => answers(port));
	const certificate = shown.trim().replace(/^.*=/, '');
	return { port, folder, userName: 'anonymous', password: 'right', wrongPassword: 'wrong', certificate, kill };
}

function answers(port: number): Promise<boolean> {
	return new Promise((resolve) => {
		const socket = connect(port, '127.0.0.1');
		socket.once('data', () => {
			resolve(true);
			socket.destroy();
		});
		socket.once('error', () => resolve(false));
	});
}
