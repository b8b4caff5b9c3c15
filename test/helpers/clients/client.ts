import type { Door } from '../daemon-clients.ts';
import type { Need } from '../programs.ts';

/** A door with the daemon's fingerprints, because some of these clients must be told which host keys are right. */
export interface SessionDoor extends Door {
	/** The fingerprints of the daemon's host keys, each as `TYPE SHA256:…`. */
	readonly fingerprints: readonly string[];
}

/** A client after its login. Every verb rejects with what the client says to its user. */
export interface ClientSession {
	put(local: string, remote: string): Promise<void>;
	/** Sends the rest of a file whose upload broke off. */
	resume(local: string, remote: string): Promise<void>;
	rename(from: string, to: string): Promise<void>;
	names(folder: string): Promise<string[]>;
	get(remote: string, local: string): Promise<void>;
	end(): Promise<void>;
}

export interface SessionClient {
	readonly name: string;
	readonly needs: readonly Need[];
	/** Set if each command is a session of its own, and the client can neither resume nor rename files. */
	readonly isOneShot?: true;
	/** What the client says of each code, if it never shows the reason of a refusal. */
	readonly saysOfCodes?: Readonly<Record<'failure' | 'permission-denied', RegExp>>;
	/** The type of the keys in PEM, if the client reads nothing newer. */
	readonly wantsPem?: 'rsa' | 'ecdsa';
	/** Logs in. @throws ClientRefused with what the client says when it may not log in */
	open(door: SessionDoor): Promise<ClientSession>;
}
