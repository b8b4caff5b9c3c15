// Finds the database row that belongs to the secret of a link, which is not stored in clear, and makes the codes that
// people must enter before a link shows them a card.

import { randomInt, timingSafeEqual } from 'node:crypto';
import { asciiDigits } from '../../../base/card/ascii-digits.ts';
import type { CredentialHasher } from '../../../base/keys/credential-hash.ts';
import { isSecret, type SecretKind } from '../../../people/portal-users/sign-in/secret-hash.ts';

/** Finds the row that belongs to a secret, by the hash of the secret under any generation of the hashing key. */
export async function findBySecret<Row>(
	hasher: CredentialHasher,
	{ kind, secret }: { readonly kind: SecretKind; readonly secret: string },
	findByHash: (hashes: readonly string[]) => Promise<Row | undefined>,
): Promise<Row | undefined> {
	if (!isSecret(kind, secret)) return undefined;
	return hasher.find(secret, (hashes) => findByHash(hashes.map(({ hash }) => hash)));
}

const DIGITS = 6;

export function makeCode(): string {
	return String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');
}

/** Without the id of the view, equal codes of two views would have equal hashes. */
export function codeText(viewId: string, code: string): string {
	return `card view ${viewId} ${code}`;
}

/** Tells whether a typed code is the code of a view. Blanks are ignored, and digits of any script are accepted. */
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
