// Makes and checks the codes that links to cards ask for.

import { randomInt, timingSafeEqual } from 'node:crypto';
import type { CredentialHasher } from '../identity/credential-hash.ts';

const DIGITS = 6;

/** Makes a code of six digits. */
export function makeCode(): string {
	return String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');
}

/**
 * Returns the text that is hashed for a code. Without the id of the view, equal codes of two views would have equal
 * hashes.
 */
export function codeText(viewId: string, code: string): string {
	return `card view ${viewId} ${code}`;
}

/** Tells whether a code is the one of a view. Blanks and digits of other scripts are read as people type them. */
export async function isCode(
	hasher: CredentialHasher,
	view: { readonly id: string; readonly code_hash: string | null },
	typed: string,
): Promise<boolean> {
	const code = asciiDigits(typed).replace(/\s/g, '');
	const wanted = Buffer.from(view.code_hash ?? '');
	const hashes = await hasher.hashAll(codeText(view.id, code.slice(0, DIGITS + 1)));
	return hashes.some(({ hash }) => {
		const given = Buffer.from(hash);
		return given.length === wanted.length && timingSafeEqual(given, wanted);
	});
}

/** Replaces the digits of every script by those of ASCII; in each script the ten digits follow each other from zero. */
function asciiDigits(text: string): string {
	return text.replace(/\p{Nd}/gu, (digit) => {
		let zero = digit.codePointAt(0)!;
		while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1)) && digit.codePointAt(0)! - zero < 9) zero--;
		return String(digit.codePointAt(0)! - zero);
	});
}
