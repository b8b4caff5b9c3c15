// A user of GnuPG with keys of its own, as partners have.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Teardown } from './daemon.ts';

export interface GnuPg {
	/** Runs gpg, and returns what it writes. */
	(args: readonly string[], input?: Uint8Array | string): Buffer;
	/** Makes a key without a passphrase, and returns its fingerprint. */
	makeKey(user: string, expires?: string): string;
	/** Encrypts for the readers, which are users or fingerprints. */
	encrypt(content: Uint8Array | string, readers: readonly string[], args?: readonly string[]): Buffer;
	decrypt(message: Uint8Array): Buffer;
	exported(user: string): Buffer;
}

/** Opens a user of GnuPG. */
export function openGnuPg(t: Teardown): GnuPg {
	const home = mkdtempSync(join(tmpdir(), 'tokendrop-gpg-'));
	const run = (args: readonly string[], input?: Uint8Array | string) =>
		execFileSync(
			'gpg',
			[...['--homedir', home, '--batch', '--yes', '--trust-model', 'always', '--pinentry-mode', 'loopback'], ...args],
			{ input: input ?? '', maxBuffer: 2 ** 30, stdio: ['pipe', 'pipe', 'ignore'] },
		);
	t.teardown(() => {
		try {
			execFileSync('gpgconf', ['--homedir', home, '--kill', 'all'], { stdio: 'ignore' });
		} finally {
			rmSync(home, { recursive: true, force: true });
		}
	});
	const readersOf = (readers: readonly string[]) => readers.flatMap((reader) => ['--recipient', reader]);
	return Object.assign(run, {
		makeKey(user: string, expires = 'never') {
			run(['--passphrase', '', '--quick-gen-key', user, 'default', 'default', expires]);
			const listed = run(['--list-keys', '--with-colons', user]).toString();
			return /^fpr:+([0-9A-F]+):/m.exec(listed)![1];
		},
		encrypt: (content: Uint8Array | string, readers: readonly string[], args: readonly string[] = []) =>
			run([...args, ...readersOf(readers), '--encrypt'], content),
		decrypt(message: Uint8Array) {
			const file = join(home, 'message');
			writeFileSync(file, message);
			return run(['--decrypt', file]);
		},
		exported: (user: string) => run(['--armor', '--export', user]),
	});
}
