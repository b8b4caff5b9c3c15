// Creates the secrets in links, and finds the database row that belongs to a secret. The secrets themselves are not
// stored in clear.

import { randomBytes, randomInt, timingSafeEqual } from 'node:crypto';
import { asciiDigits } from '../../../base/card/ascii-digits.ts';
import type { CredentialHasher } from '../../../base/keys/credential-hash.ts';

const RANDOM_BYTES = 32;

/** The kinds of links, by the prefix of their secret: `cr` for card requests, `cv` for views of cards. */
export type LinkKind = 'cr' | 'cv';

export function makeLinkSecret(kind: LinkKind): string {
	return `${kind}_${randomBytes(RANDOM_BYTES).toString('base64url')}`;
}

/** Tells whether a text has the form of a secret of this kind. Only such texts are looked up in the database. */
function isLinkSecret(kind: LinkKind, text: string): boolean {
	return text.startsWith(`${kind}_`) && /^[a-z]{2}_[A-Za-z0-9_-]{43}$/.test(text);
}

/** Finds the row that belongs to a secret, by the hash of the secret under any generation of the hashing key. */
export async function findBySecret<Row>(
	hasher: CredentialHasher,
	{ kind, secret }: { readonly kind: LinkKind; readonly secret: string },
	findByHash: (hashes: readonly string[]) => Promise<Row | undefined>,
): Promise<Row | undefined> {
	if (!isLinkSecret(kind, secret)) return undefined;
	const find = async () => findByHash((await hasher.hashAll(secret)).map(({ hash }) => hash));
	// Another daemon may just have begun to hash under a new key, so the keys are read again and the row is looked up
	// once more.
	return (await find()) ?? (hasher.forgetKeys() ? await find() : undefined);
}

const DIGITS = 6;

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
