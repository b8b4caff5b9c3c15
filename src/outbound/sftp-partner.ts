import type { Secret } from '../secret.ts';

/** Somebody else's SFTP server, and how to log in there. */
export interface SftpPartner {
	/** Name or address, in lower case. */
	readonly host: string;
	readonly port: number;
	readonly userName: string;
	/** Answers keyboard-interactive questions too. */
	readonly password?: Secret;
	/** OpenSSH's or PEM format. */
	readonly privateKey?: Secret;
	readonly passphrase?: Secret;
	/** `SHA256:…`, one of which the host must show before it is told anything. Empty: any will do. */
	readonly hostKeys: readonly string[];
}
