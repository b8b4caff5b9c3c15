import type { Door } from '../daemon-clients.ts';
import type { Need } from '../programs.ts';

/** The daemon's door as these clients want it: they do not ask whether a host key is right. */
export interface SessionDoor extends Door {
	/** Of the daemon's host keys, each as `TYPE SHA256:…`. */
	readonly fingerprints: readonly string[];
}

/** A client after its login. Every verb rejects with what the client says to its user. */
export interface ClientSession {
	put(local: string, remote: string): Promise<void>;
	/** Sends what an upload that broke off has left to send. */
	resume(local: string, remote: string): Promise<void>;
	rename(from: string, to: string): Promise<void>;
	names(folder: string): Promise<string[]>;
	get(remote: string, local: string): Promise<void>;
	end(): Promise<void>;
}

export interface SessionClient {
	readonly name: string;
	readonly needs: readonly Need[];
	/** A session is one command, and files are neither resumed nor renamed. */
	readonly isOneShot?: true;
	/** It shows the code of a refusal and nothing else. */
	readonly hidesReasons?: true;
	/** It reads RSA keys in PEM only. */
	readonly wantsRsa?: true;
	/** @throws ClientRefused with what the client says when it may not log in */
	open(door: SessionDoor): Promise<ClientSession>;
}
