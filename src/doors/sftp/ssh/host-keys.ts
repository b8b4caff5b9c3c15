import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeyType, ParsedKey } from 'ssh2';
import { createDurably, makeFolder } from '../../../base/durable-files.ts';
import { fingerprintOf } from '../../../base/ssh/fingerprint.ts';
import { ssh2 } from '../../../base/ssh/ssh2.ts';

const rsaSignatures = ['rsa-sha2-512', 'rsa-sha2-256'];

const kinds = [
	{ fileName: 'ssh_host_ed25519_key', generate: generateEd25519Key },
	{ fileName: 'ssh_host_rsa_key', generate: () => ssh2.utils.generateKeyPairSync('rsa', { bits: 3072 }).private },
	// An ECDSA key of this type is needed for older Java libraries (JSch 0.1.5x and similar), which otherwise know only
	// RSA with SHA-1.
	{ fileName: 'ssh_host_ecdsa_key', generate: () => ssh2.utils.generateKeyPairSync('ecdsa', { bits: 256 }).private },
];

/**
 * Reads the server's keys from `folder` and generates those that are missing. Daemons that start at the same time on a
 * shared folder use the same keys.
 * @throws if a key can be read by others or is not a private key
 */
export async function openHostKeys(folder: string) {
	await makeFolder(folder);
	const privateKeys: string[] = [];
	for (const { fileName, generate } of kinds) privateKeys.push(await readOrMake(join(folder, fileName), generate));
	return { privateKeys, fingerprints: privateKeys.map(formatFingerprint) };
}

/**
 * Generates an Ed25519 key. ssh2 removes a zero byte from the front of a public key, so one in 256 of its Ed25519 keys
 * cannot be read; in this case another one is generated.
 */
export function generateEd25519Key(): string {
	for (;;) {
		const { private: key } = ssh2.utils.generateKeyPairSync('ed25519');
		if (!(ssh2.utils.parseKey(key) instanceof Error)) return key;
	}
}

/**
 * Returns the type and the fingerprint of a key as `ssh-ed25519 SHA256:…`. `ssh-keygen -l` shows them like this, and so
 * do clients when they connect for the first time.
 * @throws if the text is not a private key
 */
export function formatFingerprint(privateKey: string | Buffer): string {
	const { type, blob } = publicPart(privateKey);
	return `${type} ${fingerprintOf(blob)}`;
}

/**
 * Returns the keys in the form that ssh2's server needs. If ssh2 is given an RSA key as text, it always offers SHA-1
 * signatures too, whatever algorithms are allowed. So an RSA key is given once for each signature algorithm, with the
 * algorithm as its type; ssh2 then offers the key for that algorithm only.
 */
export function parseServerKeys(privateKeys: readonly (string | Buffer)[]): { key: ParsedKey }[] {
	return privateKeys.flatMap((privateKey) => {
		const { type } = parsePrivateKey(privateKey);
		if (type !== 'ssh-rsa') return [{ key: parsePrivateKey(privateKey) }];
		return rsaSignatures.map((algorithm) => {
			const key = parsePrivateKey(privateKey);
			key.type = algorithm as KeyType;
			return { key };
		});
	});
}

function publicPart(privateKey: string | Buffer): { type: string; blob: Buffer } {
	const key = parsePrivateKey(privateKey);
	return { type: key.type, blob: key.getPublicSSH() };
}

function parsePrivateKey(privateKey: string | Buffer): ParsedKey {
	const parsed = ssh2.utils.parseKey(privateKey);
	if (parsed instanceof Error) throw new Error(`host key cannot be read: ${parsed.message}`, { cause: parsed });
	const key = Array.isArray(parsed) ? parsed[0] : parsed;
	if (!key.isPrivateKey()) throw new Error('host key is not a private key');
	return key;
}

async function readOrMake(path: string, generate: () => string): Promise<string> {
	const found = await findKey(path);
	if (found !== undefined) return found;
	await createDurably(path, generate(), 0o600);
	const made = await findKey(path);
	if (made === undefined) throw new Error(`host key ${path} vanished while it was made`);
	const { type, blob } = publicPart(made);
	await createDurably(`${path}.pub`, `${type} ${blob.toString('base64')}\n`, 0o644);
	return made;
}

/**
 * Returns the text of a key, or undefined if there is no file.
 * @throws Error that names the file and what to do, if others can read the key, or nobody can
 */
async function findKey(path: string): Promise<string | undefined> {
	let text: string;
	try {
		const { mode } = await stat(path);
		if ((mode & 0o077) !== 0) throw new Error(`host key ${path} can be read by others: chmod 600 ${path}`);
		text = await readFile(path, 'utf8');
	} catch (error) {
		const { code } = error as NodeJS.ErrnoException;
		if (code === 'ENOENT') return undefined;
		if (code === undefined) throw error;
		throw new Error(`host key ${path} cannot be read: ${code}; the user who runs the daemon must be able to read it`, {
			cause: error,
		});
	}
	try {
		parsePrivateKey(text);
	} catch (cause) {
		throw new Error(
			`${path}: ${(cause as Error).message}; put the file back from a backup, or move it away: then the next start makes ` +
				'another key, and clients are told that the host has changed',
			{ cause },
		);
	}
	return text;
}
