// Creates and hashes the secrets of cookies and links. They are random text of 256 bits, so a fast hash without a key
// is enough: nobody can guess the text behind a hash.

import { createHash, randomBytes } from 'node:crypto';

/** What a secret is for, by its prefix: the cookie of a session, a link for a user, a card request, a view of a card. */
export type SecretKind = 'ps' | 'pl' | 'cr' | 'cv';

const RANDOM_BYTES = 32;
const SHAPE = /^[a-z]{2}_[A-Za-z0-9_-]{43}$/;

export function makeSecret(kind: SecretKind): string {
	return `${kind}_${randomBytes(RANDOM_BYTES).toString('base64url')}`;
}

/** Tells whether a text has the form of a secret of this kind. Only such texts are looked up in the database. */
export function isSecret(kind: SecretKind, text: string | undefined): text is string {
	return text !== undefined && SHAPE.test(text) && text.startsWith(`${kind}_`);
}

export function hashSecret(secret: string): string {
	return createHash('sha256').update(secret).digest('hex');
}

/** Returns the CSRF token for the forms of a session. It is a hash, so it does not reveal the session's cookie. */
export function csrfOf(cookie: string): string {
	return createHash('sha256').update(`tokendrop portal form ${cookie}`).digest('base64url');
}
