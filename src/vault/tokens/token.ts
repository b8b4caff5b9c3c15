// A token is a sealed pointer: one AES block over `page 48 bits | slot 8 | version 8 | salt 64`, written as 32
// hexadecimal characters. `version` stands for the generation of the key. The token is not derived from the card and
// has no row of its own in the database. A foreign token, which another installation made, stands in its record and has a
// row (foreign-token-store.ts). ECB mode is safe for tokens, and only for them: no two blocks are equal, and a
// block cipher over unique blocks is a random permutation.

import { type Cipheriv, createCipheriv, createDecipheriv, type Decipheriv } from 'node:crypto';
import type { SealingKey } from '../../base/keys/key-ring.ts';

declare const brand: unique symbol;
/** A token as text: 32 hexadecimal characters in lower case (spec §2.3). */
export type Token = string & { readonly [brand]: 'Token' };

export const TOKEN_BYTES = 16;
export const TOKEN_CHARACTERS = 32;
export const SALT_BYTES = 8;

/** No page has as many slots as this. */
const TOO_MANY_SLOTS = 64;
/** No vault has as many pages as this. */
const TOO_MANY_PAGES = 2 ** 32;

/** What a token decodes to. It is not certain yet that such a page and record exist. */
export interface Pointer {
	readonly page: number;
	readonly slot: number;
	/** The last byte of the generation of the key under which the token decodes to this pointer. */
	readonly version: number;
	/**
	 * The salt, as two numbers of 32 bits. A file may have a million pointers, and a buffer for each would cost too much.
	 */
	readonly saltHigh: number;
	readonly saltLow: number;
	/**
	 * A second pointer, which the same token decodes to under an older generation of the key, if there is one. One token
	 * in 256 looks valid under a key that did not create it, so both pointers have to be checked.
	 */
	readonly or?: Pointer;
}

/** The columns of a page from which its tokens are computed. */
export interface Salted {
	readonly salt: Buffer;
	/** The generation of the key that created the tokens of the page. */
	readonly token_generation: number;
}

/**
 * Returns whether a pointer has the salt and the key generation of the page that it names. All bits are always
 * compared, so that the time taken does not show how many of them match.
 */
export function leadsTo(pointer: Pointer, { salt, token_generation }: Salted): boolean {
	const otherSalt = (pointer.saltHigh ^ salt.readUInt32BE(0)) | (pointer.saltLow ^ salt.readUInt32BE(4));
	return (otherSalt | (pointer.version ^ versionOf(token_generation))) === 0;
}

/** Returns the byte that stands for a generation of the key in a pointer. */
const versionOf = (generation: number): number => generation & 0xff;

/** The token key may have at most this many generations, because a pointer has one byte for the generation. */
export const MAX_TOKEN_GENERATIONS = 0xff;

/**
 * Reads a token that a caller has written, in upper or lower case. Returns undefined if it is not 32 hexadecimal
 * characters (spec §7.4).
 */
export function findToken(text: string): Token | undefined {
	return /^[0-9a-f]{32}$/i.test(text) ? (text.toLowerCase() as Token) : undefined;
}

/** Writes one pointer, not encrypted yet, into `target` at `offset`. */
function writePointer(target: Buffer, offset: number, page: number, slot: number, version: number, salt: Buffer): void {
	target.writeUIntBE(page, offset, 6);
	target[offset + 6] = slot;
	target[offset + 7] = version;
	target.set(salt, offset + 8);
}

/**
 * Creates and decodes tokens: encrypts pointers under one generation of the token key, and decrypts tokens under all.
 */
export class TokenCipher {
	/** The generation of the key that creates the tokens of new pages. */
	readonly generation: number;
	/** Whether the vault has foreign tokens, which no key of ours decodes. */
	readonly hasForeign: boolean;
	readonly #ciphers: ReadonlyMap<number, Cipheriv>;
	readonly #deciphers: readonly { version: number; decipher: Decipheriv }[];

	/**
	 * @param keys lists every generation of the token key, newest first.
	 * @param writer is the key that creates new tokens; without it, the newest one does.
	 */
	constructor(keys: readonly SealingKey[], writer: SealingKey = keys[0], hasForeign = false) {
		this.generation = writer.generation;
		this.hasForeign = hasForeign;
		// Without padding and chaining, a cipher object handles each block by itself and never has to be finished. So one
		// object for each key serves all tokens of this process.
		this.#ciphers = new Map(
			keys.map(({ generation, secret }) => [
				generation,
				createCipheriv('aes-256-ecb', secret, null).setAutoPadding(false),
			]),
		);
		// `decode` tries the key of the oldest generation first. If several keys could have created the same token, it
		// returns the pointer of the newest generation, whose member `or` is the pointer of the next older one. So
		// callers check the newest pointer first.
		this.#deciphers = keys.toReversed().map(({ generation, secret }) => ({
			version: versionOf(generation),
			decipher: createDecipheriv('aes-256-ecb', secret, null).setAutoPadding(false),
		}));
	}

	/**
	 * Returns the tokens of a page's first `count` slots, 16 bytes each. `pointers` is a buffer for the pointers before
	 * they are encrypted.
	 */
	makeTokens(pointers: Buffer, page: number, count: number, salt: Buffer): Buffer {
		const version = versionOf(this.generation);
		for (let slot = 0; slot < count; slot++) writePointer(pointers, slot * TOKEN_BYTES, page, slot, version, salt);
		return this.#encrypt(pointers, this.generation);
	}

	/** Returns the token of a slot of a stored page, as 16 bytes. */
	tokenOf(page: Salted & { readonly id: number }, slot: number): Buffer {
		const pointer = Buffer.allocUnsafe(TOKEN_BYTES);
		writePointer(pointer, 0, page.id, slot, versionOf(page.token_generation), page.salt);
		return this.#encrypt(pointer, page.token_generation);
	}

	/** Returns the token of a record as text. */
	tokenAt(page: Salted & { readonly id: number }, slot: number, record?: { readonly token: Buffer | null }): Token {
		return (record?.token ?? this.tokenOf(page, slot)).toString('hex') as Token;
	}

	/** Encrypts any number of pointers of 16 bytes into as many tokens of 16 bytes. */
	#encrypt(pointers: Buffer, generation: number): Buffer {
		const cipher = this.#ciphers.get(generation);
		if (!cipher) throw new Error(`internal error: the token key of generation ${generation} is not there`);
		return cipher.update(pointers);
	}

	/**
	 * Decodes tokens of 16 bytes each. A result is undefined if none of our keys can have created the token, as is so for
	 * nearly every value that is not ours. Otherwise the caller has to check each pointer of the result against its page
	 * with `leadsTo`.
	 */
	decode(tokens: Buffer): (Pointer | undefined)[] {
		const pointers = new Array<Pointer | undefined>(tokens.length / TOKEN_BYTES).fill(undefined);
		for (const { version, decipher } of this.#deciphers) {
			const blocks = decipher.update(tokens);
			for (let i = 0; i < pointers.length; i++) {
				const offset = i * TOKEN_BYTES;
				if (blocks[offset + 7] !== version) continue;
				pointers[i] = {
					page: blocks.readUIntBE(offset, 6),
					slot: blocks[offset + 6],
					version,
					or: pointers[i],
					saltHigh: blocks.readUInt32BE(offset + 8),
					saltLow: blocks.readUInt32BE(offset + 12),
				};
			}
		}
		return pointers;
	}

	/** Tells whether one of our keys may have created 16 bytes as a token. */
	mayBeOurs(token: Buffer): boolean {
		return this.decode(token)[0] !== undefined;
	}

	/**
	 * Tells whether one of our keys has certainly created 16 bytes as a token. Of other values one in 2^26 also decodes, under
	 * each key, to a slot and a page that there may be.
	 */
	isSurelyOurs(token: Buffer): boolean {
		for (let pointer = this.decode(token)[0]; pointer !== undefined; pointer = pointer.or) {
			if (pointer.slot < TOO_MANY_SLOTS && pointer.page < TOO_MANY_PAGES) return true;
		}
		return false;
	}

	/** Tells whether 16 bytes may be a foreign token. Only the vault can tell whether they are one. */
	mayBeForeign(token: Buffer): boolean {
		return this.hasForeign && !looksLikeNumber(token, 0);
	}

	decodeOne(token: Token): Pointer | undefined {
		return this.decode(Buffer.from(token, 'hex'))[0];
	}
}

/**
 * A byte is written as two hexadecimal digits. These tables tell, for every byte, how many decimal digits they begin
 * with (`LEADING`) and end with (`TRAILING`).
 */
const LEADING = new Uint8Array(256);
const TRAILING = new Uint8Array(256);
for (let byte = 0; byte < 256; byte++) {
	const high = byte >> 4 < 10;
	const low = (byte & 15) < 10;
	LEADING[byte] = high ? (low ? 2 : 1) : 0;
	TRAILING[byte] = low ? (high ? 2 : 1) : 0;
}

/**
 * A token may show at most this many decimal digits in a row. More of them might be taken for a card number; what has no more is
 * known as a token wherever card numbers are looked for in a text in clear (`isInId`).
 */
const MAX_DIGIT_RUN = 11;

/**
 * Returns whether the token of 16 bytes at `offset`, written in hexadecimal, shows 12 or more decimal digits in a row.
 */
export function looksLikeNumber(tokens: Uint8Array, offset: number): boolean {
	let run = 0;
	for (let i = offset; i < offset + TOKEN_BYTES; i++) {
		const byte = tokens[i];
		run += LEADING[byte];
		if (run > MAX_DIGIT_RUN) return true;
		if (LEADING[byte] !== 2) run = TRAILING[byte];
	}
	return false;
}

const LOWER = Buffer.from('0123456789abcdef');
const UPPER = Buffer.from('0123456789ABCDEF');

/** Writes a token of 16 bytes as 32 characters into `target`; returns the offset after them. */
export function writeHex(
	token: Uint8Array,
	offset: number,
	target: Uint8Array,
	at: number,
	tokenCase: 'lower' | 'upper',
): number {
	const digits = tokenCase === 'lower' ? LOWER : UPPER;
	for (let i = offset; i < offset + TOKEN_BYTES; i++) {
		const byte = token[i];
		target[at++] = digits[byte >> 4];
		target[at++] = digits[byte & 15];
	}
	return at;
}

/**
 * Maps the code of each hexadecimal digit, in either case, to its value; all other codes are mapped to a negative
 * number.
 */
const NIBBLES = new Int8Array(256).fill(-1);
for (let value = 0; value < 16; value++) {
	NIBBLES[LOWER[value]] = value;
	NIBBLES[UPPER[value]] = value;
}

/**
 * Reads 32 hexadecimal characters into 16 bytes of `target`. Returns false if one of the characters is not hexadecimal;
 * the bytes in `target` are then of no use.
 */
export function readHex(bytes: Uint8Array, start: number, target: Uint8Array, at: number): boolean {
	let checked = 0;
	for (let i = start; i < start + TOKEN_CHARACTERS; i += 2) {
		const value = (NIBBLES[bytes[i]] << 4) | NIBBLES[bytes[i + 1]];
		checked |= value;
		target[at++] = value;
	}
	return checked >= 0;
}
