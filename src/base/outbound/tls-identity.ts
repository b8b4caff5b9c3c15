import { createHash, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { ServiceError } from '../errors.ts';

/** Holds our certificate for a third party, and the authorities that we trust. Everything is in PEM. */
export interface TlsIdentity {
	/** Our certificate with its chain; it requires `key`. */
	readonly certificate?: string;
	readonly key?: string;
	readonly passphrase?: string;
	/** The authorities whose certificates are accepted; if absent, those that Node ships. */
	readonly authorities?: string;
}

const MIN_VERSION = 'TLSv1.2';

const names = new WeakMap<TlsIdentity, string>();
let anonymous: SecureContext | undefined;

/**
 * Returns a name for the identity. Equal identities have the same name and different ones never do, so calls under the
 * same name can share connections.
 */
export function identityName(identity: TlsIdentity | undefined): string {
	if (identity === undefined) return '';
	let name = names.get(identity);
	if (name === undefined) {
		const { certificate, key, passphrase, authorities } = identity;
		// The certificate, key, passphrase and authorities are joined as JSON, so that two different identities never give
		// the same text.
		const parts = JSON.stringify([certificate, key, passphrase, authorities]);
		names.set(identity, (name = createHash('sha256').update(parts).digest('base64')));
	}
	return name;
}

/**
 * Returns the TLS context for every connection of an identity.
 * @throws `bad-input-data` if the identity cannot be loaded (spec §7.4)
 */
export function secureContextOf(identity: TlsIdentity | undefined): SecureContext {
	if (identity === undefined) return (anonymous ??= createSecureContext({ minVersion: MIN_VERSION }));
	const { certificate, key, passphrase, authorities } = identity;
	if ((certificate === undefined) !== (key === undefined)) throw refused('certificate and key come together');
	try {
		// OpenSSL takes a text without any certificate for an empty list of authorities and reports no error. So a
		// certificate is parsed from the text first, which fails for such a text.
		if (authorities !== undefined) new X509Certificate(authorities);
		return createSecureContext({ cert: certificate, key, passphrase, ca: authorities, minVersion: MIN_VERSION });
	} catch {
		// OpenSSL's own message may quote the key, so it is not passed on.
		throw refused('it cannot be loaded');
	}
}

function refused(why: string): ServiceError {
	return new ServiceError('bad-input-data', { moreInfo: `client certificate: ${why}` });
}
