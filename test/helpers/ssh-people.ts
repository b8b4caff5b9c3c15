// Makes people with SSH keys. The programs of OpenSSH make and hold the keys; ssh2 makes them if a machine has none of
// these programs.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { parseSshPublicKey, type SshPublicKey } from '../../src/people/identity/credentials/ssh-public-key.ts';
import { makeFolder } from './file-parts.ts';
import { makeSshKeyPair } from './ssh-key-pair.ts';
import { until } from './until.ts';

export interface SshPerson {
	/** The file of the private key; the file of the public one beside it ends with `.pub`. */
	readonly file: string;
	readonly publicKey: SshPublicKey;
	/** The public key without its comment, for example `ssh-ed25519 AAAA…`. */
	readonly line: string;
}

export const KEY_TYPES = { ed25519: [], rsa: ['-b', '2048'], ecdsa: ['-b', '384'] } as const;

export function makePerson(
	t: ExecutionContext<unknown>,
	type: keyof typeof KEY_TYPES = 'ed25519',
	passphrase = '',
): SshPerson {
	const file = join(makeFolder(t), `id_${type}`);
	execFileSync('ssh-keygen', ['-q', '-t', type, ...KEY_TYPES[type], '-N', passphrase, '-C', 'a person', '-f', file]);
	return personOf(file, readFileSync(`${file}.pub`, 'utf8').trim());
}

/** Makes a person with an Ed25519 key, which needs no program. */
export function makePlainPerson(t: ExecutionContext<unknown>): SshPerson {
	const file = join(makeFolder(t), 'id_ed25519');
	const pair = makeSshKeyPair('a person');
	writeFileSync(file, pair.private, { mode: 0o600 });
	writeFileSync(`${file}.pub`, `${pair.public}\n`);
	return personOf(file, pair.public);
}

function personOf(file: string, text: string): SshPerson {
	return { file, publicKey: parseSshPublicKey(text), line: text.split(' ', 2).join(' ') };
}

/** Starts ssh-agent with the keys of people, and returns the path of its socket. */
export async function startAgent(t: ExecutionContext<unknown>, ...people: readonly SshPerson[]): Promise<string> {
	const socket = join(makeFolder(t), 'agent');
	const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' });
	t.teardown(async () => {
		if (agent.exitCode !== null) return;
		const isOver = once(agent, 'exit');
		agent.kill();
		await isOver;
	});
	await until('the socket of ssh-agent', async () => existsSync(socket));
	const env = { ...process.env, SSH_AUTH_SOCK: socket };
	for (const { file } of people) execFileSync('ssh-add', ['-q', file], { env, stdio: 'ignore' });
	return socket;
}
