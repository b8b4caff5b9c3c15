// Checks passwords by our rules, and hashes them with argon2id. A hash names its parameters: if they differ from those
// of new hashes, the password is hashed again at the next login.

import { type Argon2Parameters, argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { ServiceError } from '../../../base/errors.ts';
import { type HashParty, HashTurns } from './hash-turns.ts';

/** The parameters of new hashes, as strong as OWASP advises for argon2id (memory in KiB). */
export const HASH_PARAMETERS = { memory: 47_104, passes: 1, parallelism: 1 } as const;

const MIN_LETTERS = 12;
const MAX_LETTERS = 128;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** A password must not contain the name of the user or the account, unless that name is shorter than this. */
const MIN_NAME_LETTERS = 4;

/** The characters of passwords: letters, digits, space and the symbols of spec §5.4. */
const ACCEPTED = /^[\p{L}\p{M}\p{Nd} !"#$%&'()*+,\-./;<=>?@[\\\]]*$/u;
const REFUSED = /[^\p{L}\p{M}\p{Nd} !"#$%&'()*+,\-./;<=>?@[\\\]]/u;

/** The reasons why a password is not accepted. Pages have a text for each. */
export type PasswordProblem = 'common' | 'short' | 'long' | 'sign' | 'name' | 'same';

export class PasswordError extends ServiceError {
	readonly why: PasswordProblem;

	constructor(why: PasswordProblem, problem: string) {
		super('bad-input-data', { field: 'password', problem });
		this.why = why;
	}
}

/**
 * Checks a new password.
 * @throws PasswordError with the first rule that it breaks
 */
export function checkPassword(text: string, names: readonly string[]): void {
	const password = text.normalize('NFC');
	const letters = [...password].length;
	const refuse = (why: PasswordProblem, problem: string) => {
		throw new PasswordError(why, problem);
	};
	if (letters < MIN_LETTERS) refuse('short', `expected at least ${MIN_LETTERS} characters`);
	if (letters > MAX_LETTERS) refuse('long', `expected at most ${MAX_LETTERS} characters`);
	if (!ACCEPTED.test(password)) {
		const sign = REFUSED.exec(password)?.[0] ?? '';
		refuse(
			'sign',
			`expected letters, digits, space and ! " # $ % & ' ( ) * + , - . / ; < = > ? @ [ \\ ], found ${nameOf(sign)}`,
		);
	}
	const lower = password.toLowerCase();
	const parts = names.flatMap((name) => [name, name.split('@')[0]]).map((name) => name.toLowerCase());
	if (parts.some((part) => part.length >= MIN_NAME_LETTERS && lower.includes(part)))
		refuse('name', 'may not contain the name of the user or of the account');
}

/**
 * Checks a new password as `checkPassword` does, and against a list of those that people use most (PCI DSS 8.3.6).
 * @throws PasswordError with the first rule that it breaks
 */
export async function acceptPassword(text: string, names: readonly string[]): Promise<void> {
	checkPassword(text, names);
	// The list is large, and only needed when somebody chooses a password.
	const { dictionary } = await import('@zxcvbn-ts/language-common');
	const mostUsed = new Set(dictionary['passwords-common']);
	const lower = text.normalize('NFC').toLowerCase();
	// Most passwords of the list are shorter than ours must be, so people repeat one, or put figures and signs around it.
	const word = lower.replace(/^\P{L}+|\P{L}+$/gu, '');
	const repeated = /^(.+?)\1+$/u.exec(lower)?.[1] ?? lower;
	if ([lower, word, repeated].some((part) => part === '' || part.length === 1 || mostUsed.has(part)))
		throw new PasswordError('common', 'is among those that are used most; choose one that nobody else has');
}

function nameOf(sign: string): string {
	return /^[\x21-\x7e]$/.test(sign) ? sign : `U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}

const derive = promisify<'argon2id', Argon2Parameters, Buffer>(argon2 as never);
const turns = new HashTurns();

interface Parameters {
	readonly memory: number;
	readonly passes: number;
	readonly parallelism: number;
}

async function hashUnder(
	password: string,
	salt: Buffer,
	{ parameters, party }: { readonly parameters: Parameters; readonly party: HashParty },
): Promise<Buffer> {
	const message = Buffer.from(password.normalize('NFC'));
	try {
		return await turns.run(party, () =>
			derive('argon2id', { ...parameters, message, nonce: salt, tagLength: HASH_BYTES }),
		);
	} finally {
		message.fill(0);
	}
}

/** Hashes a password, as `$argon2id$v=19$m=…,t=…,p=…$salt$hash`. @throws ServiceError as `HashTurns.run` does */
export async function hashPassword(password: string, party: HashParty): Promise<string> {
	const salt = randomBytes(SALT_BYTES);
	const { memory, passes, parallelism } = HASH_PARAMETERS;
	const hash = await hashUnder(password, salt, { parameters: HASH_PARAMETERS, party });
	return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${encode(salt)}$${encode(hash)}`;
}

const SHAPE = /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;
const NOBODY = Buffer.alloc(SALT_BYTES);

/**
 * Tells whether a password is the one that was hashed. Without a hash the check takes equally long, so that the time
 * does not tell who has a password.
 * @throws ServiceError as `HashTurns.run` does
 */
export async function isPassword(
	password: string,
	stored: string | null | undefined,
	party: HashParty,
): Promise<boolean> {
	const found = SHAPE.exec(stored ?? '');
	const typed = [...password.slice(0, MAX_LETTERS * 4)].slice(0, MAX_LETTERS + 1).join('');
	if (!found) {
		await hashUnder(typed, NOBODY, { parameters: HASH_PARAMETERS, party });
		return false;
	}
	const [memory, passes, parallelism] = found.slice(1, 4).map(Number);
	const hash = await hashUnder(typed, Buffer.from(found[4], 'base64'), {
		parameters: { memory, passes, parallelism },
		party,
	});
	return timingSafeEqual(hash, Buffer.from(found[5], 'base64'));
}

export function isOutdated(stored: string): boolean {
	const { memory, passes, parallelism } = HASH_PARAMETERS;
	return !stored.startsWith(`$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$`);
}

function encode(bytes: Buffer): string {
	return bytes.toString('base64').replaceAll('=', '');
}
