import type { Secret } from '../../settings/secret.ts';

/** Describes a third party's FTPS server, and the credentials for it. */
export interface FtpsPartner {
	/** The name or address of the server, in lower case. */
	readonly host: string;
	readonly port: number;
	readonly userName: string;
	readonly password: Secret;
	/**
	 * The fingerprints of certificates, such as `SHA256:…`. The host must show one of these before we send credentials. If
	 * the list is empty, its certificate must be valid for its name, as that of a web page.
	 */
	readonly certificates: readonly string[];
}
