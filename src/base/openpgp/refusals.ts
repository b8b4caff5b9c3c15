// Why an OpenPGP message or key is refused, with what to do about it. No text quotes content, a key, or a text of the
// library.

import { ServiceError } from '../errors.ts';
import { type Why, why } from '../failures.ts';

/** Refuses a message that somebody sent. */
export function refusedMessage({ reason, told }: Why): ServiceError {
	return new ServiceError('file-malformed', { moreInfo: reason, told });
}

/** Refuses a key, or what was asked of it. */
export function refusedKey(refusal: string | Why): ServiceError {
	if (typeof refusal === 'string') return new ServiceError('bad-input-data', { moreInfo: refusal });
	return new ServiceError('bad-input-data', { moreInfo: refusal.reason, told: refusal.told });
}

export const DAMAGED = why(
	'the OpenPGP message was cut or changed on its way, so nothing of it is used: send it again',
	'pgp-message-damaged',
);
export const NO_MESSAGE = why(
	'the file is not an encrypted OpenPGP message: encrypt it with the public key that pgp-key export prints',
	'pgp-message-missing',
);
export const NO_INTEGRITY = why(
	'the OpenPGP message has no integrity protection, so changes to it would pass unnoticed: encrypt it without --disable-mdc or --rfc2440 and the like',
	'pgp-message-unfit',
);
export const BZIP2 = why(
	'the OpenPGP message is compressed with bzip2, which is not read: compress it with zlib or zip, or not at all (gpg --compress-algo zlib)',
	'pgp-message-unfit',
);
export const OCB = why(
	"the OpenPGP message is in GnuPG's own OCB packet, in a form that is not read: encrypt it with gpg --rfc4880, or take the feature out of the key (gpg --edit-key, setpref)",
	'pgp-message-unfit',
);
export const PASSWORD = why(
	'the OpenPGP message is encrypted with a password: encrypt it with the public key that pgp-key export prints',
	'pgp-message-unfit',
);
export const NOT_SIGNED = why(
	'the OpenPGP message is not signed, and only signed ones are accepted: sign it (gpg --sign)',
	'pgp-message-unsigned',
);

export const NO_KEY = why(
	'the account has no own OpenPGP key that could open messages: make one with pgp-key create',
	'pgp-own-key-missing',
);

export function tooLarge(bytes: number): Why {
	const reason = `the OpenPGP message unpacks to more than ${bytes} bytes, far more than its size suggests: send it in parts, or compressed less`;
	return why(reason, 'pgp-message-too-large', { bytes });
}

export function forOthers(names: readonly string[]): Why {
	const keys = names.join(', ');
	const reason = `the OpenPGP message is encrypted for other keys than ${keys}: encrypt it with the public key that pgp-key export prints`;
	return why(reason, 'pgp-message-for-others', { keys });
}

export function otherSigner(names: readonly string[]): Why {
	const reason = `the OpenPGP message is not signed by ${names.join(' or ')}, but by somebody else: import the key of the signer with pgp-key import, and name it in verifiedBy`;
	return why(reason, 'pgp-message-of-others');
}

export function wrongSignature(key: string): Why {
	const reason = `the signature of ${key} does not fit the OpenPGP message: have it signed and sent again`;
	return why(reason, 'pgp-signature-wrong', { key });
}

export function missingKey(name: string): Why {
	return why(`the account has no OpenPGP key ${name}: pgp-key list shows the names`, 'pgp-key-missing', { key: name });
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
