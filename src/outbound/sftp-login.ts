// Logging in to a partner: key first, then password, then the password once more for hosts that ask for it in words.

import type { AnyAuthMethod, AuthenticationType, KeyboardInteractiveAuthMethod, KeyType, ParsedKey } from 'ssh2';
import ssh2 from 'ssh2';
import type { Secret } from '../secret.ts';
import type { SftpPartner } from './sftp-partner.ts';

const RSA_SIGNATURES = [
	['rsa-sha2-512', 'sha512'],
	['rsa-sha2-256', 'sha256'],
] as const;

/** Why a private key cannot be used; undefined when it can. */
export function findKeyProblem(privateKey: Secret, passphrase?: Secret): string | undefined {
	const parsed = ssh2.utils.parseKey(privateKey.reveal(), passphrase?.reveal());
	if (parsed instanceof Error) {
		const isLocked = /passphrase|encrypted|integrity|decrypt/i.test(parsed.message);
		return isLocked ? 'cannot be opened with this passphrase' : 'is not a private key in OpenSSH or PEM format';
	}
	const key = Array.isArray(parsed) ? parsed[0] : parsed;
	if (!key.isPrivateKey()) return 'is a public key';
	return key.type === 'ssh-dss' ? 'is of a type that is no longer safe' : undefined;
}

/** What is offered to a host, in turn, and what became of it. */
export class Login {
	readonly #methods: AnyAuthMethod[];
	readonly #offered = new Set<AuthenticationType>();

	/** @throws when the private key cannot be read. */
	constructor({ userName: username, password, privateKey, passphrase }: SftpPartner) {
		const keys = privateKey ? signingKeys(privateKey, passphrase) : [];
		// Asked first, to learn what the host takes: what it does not take is not sent.
		this.#methods = [{ type: 'none', username }];
		this.#methods.push(...keys.map((key): AnyAuthMethod => ({ type: 'publickey', username, key: key as never })));
		if (password === undefined) return;
		this.#methods.push({ type: 'password', username, password: password.reveal() });
		this.#methods.push({ type: 'keyboard-interactive', username, prompt: answerOnce(password) });
	}

	/** The next method the host takes, or false when there is none left. Called by ssh2 before and after each try. */
	next(accepted: readonly AuthenticationType[] | null): AnyAuthMethod | false {
		// One that does not fit yet may be the second of two factors.
		const at = this.#methods.findIndex(({ type }) => accepted === null || accepted.includes(type));
		if (at < 0) return false;
		const [method] = this.#methods.splice(at, 1);
		this.#offered.add(method.type);
		return method;
	}

	/** What to say of a login that failed; names neither the user nor anything the host said. */
	get failure(): string {
		const hasOfferedPassword = this.#offered.has('password') || this.#offered.has('keyboard-interactive');
		if (this.#offered.has('publickey')) {
			return hasOfferedPassword ? 'neither the key nor the password was accepted' : 'the key was not accepted';
		}
		return hasOfferedPassword ? 'the password was not accepted' : 'asks for a login that was not given';
	}
}

/**
 * The key once for each signature it is to make. ssh2 signs with SHA-1 for a host that does not say what it takes; an RSA
 * key that calls itself by its signature algorithm is used for that one only.
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

/** The password for one hidden question. A second one asks for something we do not have: it gets no answer twice. */
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
