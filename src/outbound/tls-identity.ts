import { createHash, X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext } from 'node:tls';
import { ServiceError } from '../errors.ts';

/** Who we are to a third party, and whom we believe. All in PEM. */
export interface TlsIdentity {
	/** Our certificate, with its chain; comes with `key`. */
	readonly certificate?: string;
	readonly key?: string;
	readonly passphrase?: string;
	/** The only authorities whose certificates count; otherwise those that Node ships. */
	readonly authorities?: string;
}

const MIN_VERSION = 'TLSv1.2';

const names = new WeakMap<TlsIdentity, string>();
let anonymous: SecureContext | undefined;

/** A name two identities share only when they are the same; connections are shared by it. */
export function identityName(identity: TlsIdentity | undefined): string {
	if (identity === undefined) return '';
	let name = names.get(identity);
	if (name === undefined) {
		const { certificate, key, passphrase, authorities } = identity;
		// As JSON, where no part can run into the next.
		const parts = JSON.stringify([certificate, key, passphrase, authorities]);
		names.set(identity, (name = createHash('sha256').update(parts).digest('base64')));
	}
	return name;
}

/** What every connection of an identity is made with; `bad-input-data` where it cannot be loaded (spec §7.4). */
export function secureContextOf(identity: TlsIdentity | undefined): SecureContext {
	if (identity === undefined) return (anonymous ??= createSecureContext({ minVersion: MIN_VERSION }));
	const { certificate, key, passphrase, authorities } = identity;
	if ((certificate === undefined) !== (key === undefined)) throw refused('certificate and key come together');
	try {
		// OpenSSL takes a text without any certificate for an empty list.
		if (authorities !== undefined) new X509Certificate(authorities);
		return createSecureContext({ cert: certificate, key, passphrase, ca: authorities, minVersion: MIN_VERSION });
	} catch {
		// OpenSSL's own words may quote the key.
		throw refused('it cannot be loaded');
	}
}

function refused(why: string): ServiceError {
	return new ServiceError('bad-input-data', { moreInfo: `client certificate: ${why}` });
}
