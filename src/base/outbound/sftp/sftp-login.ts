// Logs in to a partner: first with the key, then the password, then the password again for hosts that ask for it
// interactively.

import { createPublicKey } from 'node:crypto';
import type { AnyAuthMethod, AuthenticationType, KeyboardInteractiveAuthMethod, KeyType, ParsedKey } from 'ssh2';
import type { Secret } from '../../settings/secret.ts';
import { ssh2 } from '../../ssh/ssh2.ts';
import type { SftpPartner } from './sftp-partner.ts';

const RSA_SIGNATURES = [
	['rsa-sha2-512', 'sha512'],
	['rsa-sha2-256', 'sha256'],
] as const;

/** The longest RSA key with which we log in. One of twice the length keeps the process busy for 60 ms at each login. */
const MAX_RSA_BITS = 4096;

/**
 * Opens a private key with its passphrase: returns the key in clear, or why it cannot be used. Opening it again for each
 * connection would keep the process busy for half a second.
 */
export function unlockKey(
	privateKey: string,
	passphrase?: string,
): { readonly privateKey: string } | { readonly problem: string } {
	const parsed = ssh2.utils.parseKey(privateKey, passphrase);
	if (parsed instanceof Error) {
		const isLocked = /passphrase|encrypted|integrity|decrypt/i.test(parsed.message);
		return {
			problem: isLocked ? 'cannot be opened with this passphrase' : 'is not a private key in OpenSSH or PEM format',
		};
	}
	const key = Array.isArray(parsed) ? parsed[0] : parsed;
	if (!key.isPrivateKey()) return { problem: 'is a public key' };
	if (key.type === 'ssh-dss') return { problem: 'is of a type that is no longer safe' };
	const { modulusLength = 0 } = createPublicKey(key.getPublicPEM()).asymmetricKeyDetails ?? {};
	if (modulusLength > MAX_RSA_BITS) return { problem: `is an RSA key of more than ${MAX_RSA_BITS} bits` };
	if (passphrase === undefined) return { privateKey };
	return { privateKey: key.type === 'ssh-ed25519' ? openSshText(key) : key.getPrivatePEM() };
}

/** The last bytes of an Ed25519 key in PEM are its seed. */
const SEED_BYTES = 32;

/** Returns an Ed25519 key in the format of OpenSSH, the only one for such keys that ssh2 reads. */
function openSshText(key: ParsedKey): string {
	const pem = key.getPrivatePEM().replace(/-----[^-]+-----/g, '');
	const seed = Buffer.from(pem, 'base64').subarray(-SEED_BYTES);
	const open = key.getPublicSSH();
	const text = (value: string | Buffer) => {
		const bytes = Buffer.from(value);
		const length = Buffer.alloc(4);
		length.writeUInt32BE(bytes.length);
		return Buffer.concat([length, bytes]);
	};
	// The public part holds the name of the type and the public key, each behind its length. In the private part two
	// equal numbers stand before it, then the seed with the public key, a comment, and bytes that fill up a block.
	const hidden = [Buffer.alloc(8), open, text(Buffer.concat([seed, open.subarray(-SEED_BYTES)])), text('')];
	const length = hidden.reduce((sum, { length }) => sum + length, 0);
	hidden.push(Buffer.from([1, 2, 3, 4, 5, 6, 7].slice(0, (8 - (length % 8)) % 8)));
	const one = Buffer.from([0, 0, 0, 1]);
	const all = [Buffer.from('openssh-key-v1\0'), text('none'), text('none'), text(''), one];
	const base64 = Buffer.concat([...all, text(open), text(Buffer.concat(hidden))]).toString('base64');
	const lines = base64.match(/.{1,70}/g)!.join('\n');
	return `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines}\n-----END OPENSSH PRIVATE KEY-----\n`;
}

/** Offers credentials to a host one after the other, and remembers which kinds were offered. */
export class Login {
	readonly #methods: AnyAuthMethod[];
	readonly #offered = new Set<AuthenticationType>();

	/**
	 * Prepares the credentials.
	 * @throws if the private key cannot be read
	 */
	constructor({ userName: username, password, privateKey, passphrase }: SftpPartner) {
		const keys = privateKey ? signingKeys(privateKey, passphrase) : [];
		// The method `none` comes first, because the host's answer to it lists the methods that it accepts. Methods that it
		// does not accept are not sent.
		this.#methods = [{ type: 'none', username }];
		this.#methods.push(...keys.map((key): AnyAuthMethod => ({ type: 'publickey', username, key: key as never })));
		if (password === undefined) return;
		this.#methods.push({ type: 'password', username, password: password.reveal() });
		this.#methods.push({ type: 'keyboard-interactive', username, prompt: answerOnce(password) });
	}

	/**
	 * Returns the next method that the host accepts, or false when none is left. ssh2 calls this before the first
	 * attempt and after each one.
	 */
	next(accepted: readonly AuthenticationType[] | null): AnyAuthMethod | false {
		// A method that the host does not accept yet is kept, because it may be the second of two factors.
		const at = this.#methods.findIndex(({ type }) => accepted === null || accepted.includes(type));
		if (at < 0) return false;
		const [method] = this.#methods.splice(at, 1);
		this.#offered.add(method.type);
		return method;
	}

	/** Describes a login that failed, without the user's name or any text of the host. */
	get failure(): string {
		const hasOfferedPassword = this.#offered.has('password') || this.#offered.has('keyboard-interactive');
		if (this.#offered.has('publickey')) {
			return hasOfferedPassword ? 'neither the key nor the password was accepted' : 'the key was not accepted';
		}
		return hasOfferedPassword ? 'the password was not accepted' : 'asks for credentials that were not given';
	}
}

/**
 * Returns an RSA key several times, once for each signature algorithm; any other key once. For a host that does not say
 * which algorithms it accepts, ssh2 would sign with SHA-1 by default. An RSA key whose type is set to the name of a
 * signature algorithm signs only with that algorithm.
 */
function signingKeys(privateKey: Secret, passphrase?: Secret): ParsedKey[] {
	const parse = () => {
		const parsed = ssh2.utils.parseKey(privateKey.reveal(), passphrase?.reveal());
		if (parsed instanceof Error) throw parsed;
		return Array.isArray(parsed) ? parsed[0] : parsed;
	};
	if (parse().type !== 'ssh-rsa') return [parse()];
	return RSA_SIGNATURES.map(([algorithm, hash]) => {
		const key = parse();
		const sign = key.sign.bind(key);
		key.type = algorithm as KeyType;
		key.sign = (bytes: Buffer) => sign(bytes, hash);
		return key;
	});
}

/**
 * Answers one hidden question with the password. A second question requests a secret that we do not have, so it gets no
 * answer.
 */
function answerOnce(password: Secret): KeyboardInteractiveAuthMethod['prompt'] {
	let isAnswered = false;
	return (_name, _instructions, _language, prompts, finish) => {
		finish(
			prompts.map(({ echo }) => {
				if (echo || isAnswered) return '';
				isAnswered = true;
				return password.reveal();
			}),
		);
	};
}
