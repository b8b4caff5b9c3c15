// Uses a key of a PKCS#11 token. Only the process of library-main.ts loads this file, because the library of a vendor may crash.

import { randomBytes } from 'node:crypto';
import { createRequire } from 'node:module';
import type { LibraryFailure, TokenPlace } from './pkcs11.ts';

type Library = InstanceType<typeof import('pkcs11js').PKCS11>;
type Handle = Buffer;

const CONTEXT = Buffer.from('tokendrop root key v1');
const IV_BYTES = 12;
const TAG_BYTES = 16;
const MOST_KEYS = 2;

/** Carries what the token answered, in words for people. */
export class TokenError extends Error {
	override readonly name = 'TokenError';
	readonly failure: LibraryFailure;

	constructor(failure: LibraryFailure, why: string) {
		super(why);
		this.failure = failure;
	}
}

const LOGIN = /^CKR_PIN_|^CKR_USER_PIN_NOT_INITIALIZED/;
const FORBIDDEN = /^CKR_(KEY_FUNCTION_NOT_PERMITTED|KEY_TYPE_INCONSISTENT|MECHANISM_INVALID|MECHANISM_PARAM_INVALID)/;

export type TokenKey = ReturnType<typeof openTokenKey>;

/** Loads the library, logs in to the token and finds the key. @throws TokenError */
export function openTokenKey(place: TokenPlace, pin: string) {
	const names = loadBinding();
	const library = new names.PKCS11();
	answering('away', 'the library cannot be loaded; look at keys.pkcs11.library', () => {
		library.load(place.library);
		library.C_Initialize();
	});
	const slot = answering('away', 'the tokens cannot be listed', () =>
		library.C_GetSlotList(true).find((each) => labelOf(library, each) === place.tokenLabel),
	);
	if (slot === undefined) throw new TokenError('away', `there is no token ${place.tokenLabel}; bring it back`);
	const session = answering('away', 'the token opens no session', () =>
		library.C_OpenSession(slot, names.CKF_SERIAL_SESSION),
	);
	answering('away', 'the token refuses the login', () => library.C_Login(session, names.CKU_USER, pin));
	const key = findKey({ names, library }, session, place.keyLabel);

	const mechanism = (iv: Buffer) => {
		const type = names.CK_PARAMS_AES_GCM;
		const parameter = { type, iv, aad: CONTEXT, ivBits: IV_BYTES * 8, tagBits: TAG_BYTES * 8 };
		return { mechanism: names.CKM_AES_GCM, parameter };
	};
	const encrypt = (iv: Buffer, plain: Buffer): Buffer =>
		answering('away', 'the token does not encrypt', () => {
			library.C_EncryptInit(session, mechanism(iv), key);
			return library.C_Encrypt(session, plain, Buffer.alloc(plain.length + TAG_BYTES));
		});
	const decrypt = (iv: Buffer, sealed: Buffer): Buffer =>
		answering('away', 'the token does not decrypt', () => {
			library.C_DecryptInit(session, mechanism(iv), key);
			return library.C_Decrypt(session, sealed, Buffer.alloc(sealed.length));
		});
	return {
		wrap(plain: Buffer): Buffer {
			const iv = randomBytes(IV_BYTES);
			return Buffer.concat([iv, encrypt(iv, plain)]);
		},
		unwrap(wrapped: Buffer): Buffer {
			const [iv, sealed] = [wrapped.subarray(0, IV_BYTES), wrapped.subarray(IV_BYTES)];
			try {
				return decrypt(iv, sealed);
			} catch (error) {
				// Tokens answer a wrong tag with different codes, some of them those of a broken device. If the key opens what it has
				// just wrapped, the device is well and the value is not of this key.
				const probe = randomBytes(IV_BYTES);
				const isWell = answering('away', 'the token fails', () =>
					decrypt(probe, encrypt(probe, CONTEXT)).equals(CONTEXT),
				);
				if (!isWell) throw error;
				throw new TokenError('refused', 'this is not the master key that the database was made with');
			}
		},
	};
}

/** Returns the label of the token in a slot; undefined for one that cannot be read, as while another program changes it. */
function labelOf(library: Library, slot: Handle): string | undefined {
	try {
		return library.C_GetTokenInfo(slot).label.trim();
	} catch {
		return undefined;
	}
}

/** Finds the key by its label. Two of them are refused, because a token gives them in any order. */
function findKey(
	{ names, library }: { names: typeof import('pkcs11js'); library: Library },
	session: Handle,
	label: string,
): Handle {
	const found = answering('away', 'the keys of the token cannot be listed', () => {
		library.C_FindObjectsInit(session, [
			{ type: names.CKA_CLASS, value: names.CKO_SECRET_KEY },
			{ type: names.CKA_LABEL, value: label },
		]);
		const handles = library.C_FindObjects(session, MOST_KEYS);
		library.C_FindObjectsFinal(session);
		return handles;
	});
	if (found.length === 0) throw new TokenError('refused', `the token has no secret key ${label}`);
	if (found.length > 1)
		throw new TokenError('refused', `the token has several secret keys ${label}; give them other labels`);
	return found[0];
}

function loadBinding(): typeof import('pkcs11js') {
	try {
		return createRequire(import.meta.url)('pkcs11js');
	} catch {
		const todo = 'install a compiler (on Debian g++, make and python3) and run npm ci again';
		throw new TokenError('away', `the package pkcs11js is not compiled on this machine; ${todo}`);
	}
}

/** Runs calls of the library. A code of PKCS#11 becomes an error with `what` and the code, and without anything that was passed. */
function answering<T>(failure: LibraryFailure, what: string, run: () => T): T {
	try {
		return run();
	} catch (error) {
		if (error instanceof TokenError) throw error;
		const code = /CKR_\w+/.exec((error as Error).message)?.[0] ?? 'no code';
		if (LOGIN.test(code)) {
			const todo = 'correct keys.pkcs11.pinFile before the next try, because a token locks after some wrong PINs';
			throw new TokenError('login', `the token does not take the PIN; ${todo} (${code})`);
		}
		if (FORBIDDEN.test(code)) {
			throw new TokenError(
				'refused',
				`the key may not be used for this; let it encrypt and decrypt with AES-GCM (${code})`,
			);
		}
		throw new TokenError(failure, `${what} (${code})`);
	}
}
