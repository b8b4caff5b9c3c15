// A token is a sealed pointer: one AES block over `page 48 bits | slot 8 | version 8 | salt 64`, written as 32
// hexadecimal characters. `version` is the generation of the key. The token is not derived from the card and has no row
// of its own. ECB mode is safe for tokens, and only for them: every block is unique by construction, and a block cipher
// over unique blocks is a random permutation.

import { type Cipheriv, createCipheriv, createDecipheriv, type Decipheriv } from 'node:crypto';
import type { SealingKey } from '../keys/key-ring.ts';

declare const brand: unique symbol;
/** A token is 32 lower-case hexadecimal characters (spec §2.3). */
export type Token = string & { readonly [brand]: 'Token' };

export const TOKEN_BYTES = 16;
export const TOKEN_CHARACTERS = 32;
export const SALT_BYTES = 8;

/** A decoded token. Whether its record exists has not been checked yet. */
export interface Pointer {
	readonly page: number;
	readonly slot: number;
	/** The generation of the key under which the token decodes to this pointer. */
	readonly version: number;
	/** The salt as two 32-bit numbers, so that a file's million pointers need no buffers of their own. */
	readonly saltHigh: number;
	readonly saltLow: number;
	/**
	 * The pointer that the same token gives under an older generation of the key, if any. This exists because one token
	 * in 256 also looks valid under a key that did not create it.
	 */
	readonly or?: Pointer;
}

/** The columns of a page from which its tokens are computed. */
export interface Salted {
	readonly salt: Buffer;
	/** The generation of the key that created the tokens of the page. */
	readonly token_generation: number;
}

/** Returns whether a pointer matches the salt and key generation of the page it names. All bits are always compared. */
export function leadsTo(pointer: Pointer, { salt, token_generation }: Salted): boolean {
	const otherSalt = (pointer.saltHigh ^ salt.readUInt32BE(0)) | (pointer.saltLow ^ salt.readUInt32BE(4));
	return (otherSalt | (pointer.version ^ versionOf(token_generation))) === 0;
}

/** Returns the byte that represents a generation in a pointer. */
const versionOf = (generation: number): number => generation & 0xff;

/** A pointer can distinguish at most this many generations. */
export const MAX_TOKEN_GENERATIONS = 0xff;

/**
 * Reads a token as callers write it, in either case. Returns undefined if it is not 32 hexadecimal characters (spec
 * §7.4).
 */
export function findToken(text: string): Token | undefined {
	return /^[0-9a-f]{32}$/i.test(text) ? (text.toLowerCase() as Token) : undefined;
}

/** Writes one pointer into `target` at `offset`. */
function writePointer(target: Buffer, offset: number, page: number, slot: number, version: number, salt: Buffer): void {
	target.writeUIntBE(page, offset, 6);
	target[offset + 6] = slot;
	target[offset + 7] = version;
	target.set(salt, offset + 8);
}

/** Encrypts and decrypts pointers under all generations of the environment's token keys. */
export class TokenCipher {
	/** The generation of the key that creates the tokens of new pages. */
	readonly generation: number;
	readonly #ciphers: ReadonlyMap<number, Cipheriv>;
	readonly #deciphers: readonly { version: number; decipher: Decipheriv }[];

	/**
	 * @param keys lists every generation of the key, newest first.
	 * @param writer is the generation that creates new tokens.
	 */
	constructor(keys: readonly SealingKey[], writer: SealingKey = keys[0]) {
		this.generation = writer.generation;
		// A cipher without padding and chaining is never finalised, so one cipher serves every block of this process.
		this.#ciphers = new Map(
			keys.map(({ generation, secret }) => [
				generation,
				createCipheriv('aes-256-ecb', secret, null).setAutoPadding(false),
			]),
		);
		// The oldest generation comes first, so that the newest one is decoded last and its pointer begins the chain of
		// `or`.
		this.#deciphers = keys.toReversed().map(({ generation, secret }) => ({
			version: versionOf(generation),
			decipher: createDecipheriv('aes-256-ecb', secret, null).setAutoPadding(false),
		}));
	}

	/**
	 * Returns the tokens of a page's first `count` slots, 16 bytes each. `pointers` receives the pointers before encryption.
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

	/** Encrypts whole pointers, any number of them, into as many tokens of 16 bytes. */
	#encrypt(pointers: Buffer, generation: number): Buffer {
		const cipher = this.#ciphers.get(generation);
		if (!cipher) throw new Error(`internal error: the token key of generation ${generation} is not there`);
		return cipher.update(pointers);
	}

	/**
	 * Decodes tokens of 16 bytes each. A result is undefined if no generation can have created the token, as for nearly
	 * all foreign values. Otherwise the caller checks each pointer of the result against its page with `leadsTo`.
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

	/** Decodes a single token. */
	decodeOne(token: Token): Pointer | undefined {
		return this.decode(Buffer.from(token, 'hex'))[0];
	}
}

/**
 * For every byte, the number of decimal digits with which its two hexadecimal digits begin (`LEADING`) or end
 * (`TRAILING`).
 */
const LEADING = new Uint8Array(256);
const TRAILING = new Uint8Array(256);
for (let byte = 0; byte < 256; byte++) {
	const high = byte >> 4 < 10;
	const low = (byte & 15) < 10;
	LEADING[byte] = high ? (low ? 2 : 1) : 0;
	TRAILING[byte] = low ? (high ? 2 : 1) : 0;
}

/** A token may show at most this many decimal digits in a row, so that no scanner takes it for a card number. */
const MAX_DIGIT_RUN = 11;

/** Returns whether a token of 16 bytes at `offset` shows 12 or more decimal digits in a row. */
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

/** The value of every hexadecimal digit in either case, by character code; it is negative for other characters. */
const NIBBLES = new Int8Array(256).fill(-1);
for (let value = 0; value < 16; value++) {
	NIBBLES[LOWER[value]] = value;
	NIBBLES[UPPER[value]] = value;
}

/**
 * Reads 32 hexadecimal characters into 16 bytes of `target`. Returns false, with `target` partly overwritten, if one of
 * them is not hexadecimal.
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
