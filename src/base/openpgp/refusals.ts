// Why an OpenPGP message or key is refused, with what to do about it. No text quotes content, a key, or a text of the
// library.

import { ServiceError } from '../errors.ts';
import { type Why, why } from '../failures.ts';

/** Refuses a message that somebody sent. */
export function refusedMessage(moreInfo: string): ServiceError {
	return new ServiceError('file-malformed', { moreInfo });
}

/** Refuses a key, or what was asked of it. */
export function refusedKey(refusal: string | Why): ServiceError {
	if (typeof refusal === 'string') return new ServiceError('bad-input-data', { moreInfo: refusal });
	return new ServiceError('bad-input-data', { moreInfo: refusal.reason, told: refusal.told });
}

export const DAMAGED = 'the OpenPGP message was cut or changed on its way, so nothing of it is used: send it again';
export const NO_MESSAGE =
	'the file is not an encrypted OpenPGP message: encrypt it with the public key that pgp-key export prints';
export const NO_INTEGRITY =
	'the OpenPGP message has no integrity protection, so changes to it would pass unnoticed: encrypt it without --disable-mdc or --rfc2440 and the like';
export const BZIP2 =
	'the OpenPGP message is compressed with bzip2, which is not read: compress it with zlib or zip, or not at all (gpg --compress-algo zlib)';
export const OCB =
	"the OpenPGP message is in GnuPG's own OCB packet, in a form that is not read: encrypt it with gpg --rfc4880, or take the feature out of the key (gpg --edit-key, setpref)";
export const NOT_SIGNED = 'the OpenPGP message is not signed, and only signed ones are accepted: sign it (gpg --sign)';
export const PASSWORD =
	'the OpenPGP message is encrypted with a password: encrypt it with the public key that pgp-key export prints';

export const NO_KEY = 'the account has no own OpenPGP key that could open messages: make one with pgp-key create';

export function tooLarge(maxBytes: number): string {
	return `the OpenPGP message unpacks to more than ${maxBytes} bytes, far more than its size suggests: send it in parts, or compressed less`;
}

export function forOthers(names: readonly string[]): string {
	return `the OpenPGP message is encrypted for other keys than ${names.join(', ')}: encrypt it with the public key that pgp-key export prints`;
}

export function otherSigner(names: readonly string[]): string {
	return `the OpenPGP message is not signed by ${names.join(' or ')}, but by somebody else: import the key of the signer with pgp-key import, and name it in verifiedBy`;
}

export function wrongSignature(name: string): string {
	return `the signature of ${name} does not fit the OpenPGP message: have it signed and sent again`;
}

export function endedKey(name: string, how: 'expired' | 'revoked'): Why {
	const todo = 'import or create a new one under this name (pgp-key import, pgp-key create)';
	return why(`the key ${name} is ${how}: ${todo}`, 'pgp-key-over', { key: name });
}

export function unfitKey(name: string, use: 'encrypt' | 'sign'): Why {
	const reason = `the key ${name} cannot ${use}: import one that can with pgp-key import`;
	return why(reason, 'pgp-key-unfit', { key: name });
}

export function endedPart(name: string): Why {
	const todo = `have its owner extend the subkeys too (gpg --quick-set-expire KEY 2y '*'), and import the key anew with pgp-key import`;
	return why(`the part of the key ${name} that encrypts is expired: ${todo}`, 'pgp-key-over', { key: name });
}
