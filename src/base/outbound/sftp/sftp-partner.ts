import type { Secret } from '../../settings/secret.ts';

/** Describes a third party's SFTP server, and the credentials for it. */
export interface SftpPartner {
	/** The name or address of the server, in lower case. */
	readonly host: string;
	readonly port: number;
	readonly userName: string;
	/** The password, which is also the answer to keyboard-interactive questions. */
	readonly password?: Secret;
	/** The private key in OpenSSH's format or in PEM. */
	readonly privateKey?: Secret;
	readonly passphrase?: Secret;
	/**
	 * The fingerprints, such as `SHA256:…`. The host must show one of these before we send credentials. If the list is
	 * empty, any key is accepted.
	 */
	readonly hostKeys: readonly string[];
}
