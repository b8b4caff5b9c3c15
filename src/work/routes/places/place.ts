// Describes the two ends of a route as its runs use them, whatever stands behind: a partner over sFTP or FTPS, a bucket of S3,
// a folder of the server, or a folder of the account's own.

import { nameWith } from '../../drops/drop-names.ts';

export interface SourceEntry {
	readonly name: string;
	readonly size: number;
	readonly modifiedAtMs: number;
}

/** What the audit trail says of an end of a route, beside its name. */
export type EndFacts = Readonly<Record<string, string | number | null>>;

interface End {
	readonly facts: EndFacts;
	/** False once the connection is lost; the other methods then fail. */
	readonly isAlive: boolean;
	/** Closes the end. It may be called twice, and also after a failure. */
	close(): void;
}

/** The end from which a route takes files. Names are those of its folder. */
export interface Source extends End {
	/** Yields the files some at a time, in any order. */
	list(): AsyncIterable<readonly SourceEntry[]>;
	/** Reads a file, which is opened once and read once from beginning to end. */
	read(name: string): AsyncIterable<Buffer>;
	/** Removes a file; one that is not there counts as removed. */
	remove(name: string): Promise<void>;
	/**
	 * Moves a file into a folder beside it, which is made if necessary, and returns its new path. If the folder has a file
	 * of the name, the moved one gets a number.
	 */
	move(name: string, folder: string): Promise<string>;
}

export interface TargetFile {
	write(bytes: Buffer): Promise<void>;
	/** Makes the file durable, checks its size, calls `beforeNaming` and gives the file its final name. */
	publish(beforeNaming: () => Promise<void>): Promise<void>;
	/** Gives up; whatever was written may stay under the temporary name. */
	abandon(reason: unknown): void;
}

/** What is known of a file that is being delivered, so that it is found again after a crash. */
export interface Unfinished {
	/** The folder below the target, which is made if necessary. */
	readonly folder: string;
	readonly name: string;
	/** The name under which the file is written first; the final name if the target cannot rename. */
	readonly temporaryName: string;
	/** A text that no other delivery has. A target that can, keeps it with the file. */
	readonly mark: string;
	/** What the target calls the upload, if it has told that. */
	readonly upload?: string;
}

export interface TargetNames extends Omit<Unfinished, 'upload'> {
	readonly replaces: boolean;
}

/** The end to which a route delivers files. */
export interface Target extends End {
	findSize(folder: string, name: string): Promise<number | undefined>;
	/** Begins a file. A target that keeps unfinished files under a name of its own tells it to `onBegin` before it writes. */
	begin(names: TargetNames, onBegin: (upload: string) => Promise<void>): Promise<TargetFile>;
	/** Tells whether a file of this size, whose naming was interrupted, has got its final name. */
	isNamed(file: Unfinished, size: number): Promise<boolean>;
	/** Removes an unfinished file; one that is not there counts as removed. */
	clear(file: Unfinished): Promise<void>;
	writeShort(folder: string, name: string, content: Buffer): Promise<void>;
}

/** This many names are tried for a file that gets a number. */
const MAX_NUMBER = 10_000;

/** Returns the first of a name and its numbered forms that is free. */
export async function firstFreeName(name: string, isTaken: (name: string) => Promise<boolean>): Promise<string> {
	for (let number = 1; number <= MAX_NUMBER; number++) {
		const candidate = number === 1 ? name : nameWith(name, number);
		if (!(await isTaken(candidate))) return candidate;
	}
	throw new Error(`no name is free: ${MAX_NUMBER} files have the name with a number`);
}
