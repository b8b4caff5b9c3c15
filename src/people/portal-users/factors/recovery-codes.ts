// Creates recovery codes: ten codes that work once each, for users who have lost their phone or another second factor.

import { createHash, randomInt } from 'node:crypto';

const CODES = 10;
const LETTERS = 16;
/** Letters and digits without those that look alike, such as `0` and `o`. */
const ALPHABET = '23456789abcdefghjkmnpqrstvwxyz';

/** Creates ten codes such as `7k2m-9xqa-bb3d-w8ty`. */
export function makeRecoveryCodes(): string[] {
	return Array.from({ length: CODES }, () =>
		Array.from({ length: LETTERS }, () => ALPHABET[randomInt(ALPHABET.length)])
			.join('')
			.replace(/(.{4})(?=.)/g, '$1-'),
	);
}

/** Returns the hash of a code as it is typed, without case, hyphens and blanks; undefined if it cannot be a code. */
export function hashRecoveryCode(userId: number, typed: string): string | undefined {
	const code = typed.normalize('NFKC').toLowerCase().replace(/[\s-]/g, '');
	if (!/^[2-9a-z]{16}$/.test(code)) return undefined;
	return createHash('sha256').update(`tokendrop portal recovery ${userId} ${code}`).digest('hex');
}
