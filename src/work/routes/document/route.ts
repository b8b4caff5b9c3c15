// Describes a route: where its files come from, what is done with them, where they go, and when.

import type { MessageOptions } from '../../../base/openpgp/message-options.ts';
import type { Compression } from '../../../base/openpgp/message-task.ts';
import type { Area } from '../../drops/drop-names.ts';

/** A place where a route takes files or puts them. */
export type RoutePlace =
	| { readonly kind: 'destination'; readonly destination: string; readonly path: string }
	| { readonly kind: 'drop'; readonly area: Area; readonly filter: string }
	| { readonly kind: 'folder'; readonly folder: string; readonly path: string };

/** What becomes of a file at its source: it stays, it is deleted, or it is moved into a folder beside it. */
export type Aftermath = 'keep' | 'delete' | { readonly move: string };

export interface RouteSource {
	readonly place: RoutePlace;
	/** Patterns of names, with `*` and `?`; without any, every file is taken. */
	readonly files: readonly string[];
	readonly except: readonly string[];
	readonly ready: {
		/** A file is taken when size and time were the same at two looks that are so far apart. */
		readonly unchangedMs: number;
		readonly minAgeMs: number;
		/** The name of the file that has to lie beside a file before it is taken, for example `{name}.done`. */
		readonly doneFile: string | undefined;
		readonly empty: 'alarm' | 'process' | 'ignore';
	};
	readonly afterwards: Aftermath;
	readonly onFailure: Exclude<Aftermath, 'delete'>;
	/** Whether a file comes again that has the path of an earlier one but another size or time. */
	readonly again: 'never' | 'whenChanged';
}

export interface RouteWork {
	readonly operation: 'tokenize' | 'detokenize' | 'none';
	/** The format of the files; absent if nothing is done with them. */
	readonly filter: string | undefined;
	/** Options of the format that override those of the account and the folder. */
	readonly options: Readonly<Record<string, unknown>> | undefined;
	/** Says how files that are OpenPGP messages are decrypted; without it, they are taken as they are. */
	readonly decrypt: Decryption | undefined;
	/** Says for whom files are encrypted; without it, they are not. */
	readonly encrypt: Encryption | undefined;
}

export interface Decryption {
	/** The name of the own key that opens them. */
	readonly with: string;
	/** The names of the keys of those whose signatures count. */
	readonly verifiedBy: readonly string[];
	readonly unsigned: 'refuse' | 'accept';
}

export interface Encryption {
	/** The names of the keys of those who may read the files. */
	readonly for: readonly string[];
	/** The name of the own key that signs the files. */
	readonly signWith?: string;
	readonly armor: boolean;
	readonly compress: Compression;
}

export interface RouteTarget {
	readonly place: RoutePlace;
	/** The name of the delivered file, with placeholders. */
	readonly name: string;
	readonly exists: 'refuse' | 'replace' | 'number';
	/** The name under which a file is sent; undefined for a partner that cannot rename. */
	readonly temporaryName: string | undefined;
	readonly doneFile: string | undefined;
	readonly checksum: 'none' | 'sha256';
}

export type RouteTimes =
	| { readonly cron: string; readonly timeZone: string }
	| { readonly everyMs: number }
	| { readonly arrival: true };

/** The alarm for files that did not come. */
export interface Expectation {
	readonly files: number;
	/** The time of the day in minutes after midnight. */
	readonly byMinutes: number;
	/** The days of the week, 0 for Sunday. */
	readonly days: readonly number[];
	readonly timeZone: string;
}

export interface Route {
	readonly name: string;
	readonly from: RouteSource;
	readonly do: RouteWork;
	readonly to: RouteTarget;
	/** Without times a route runs only when somebody asks for it. */
	readonly when: RouteTimes | undefined;
	readonly missed: 'run' | 'skip';
	readonly expect: Expectation | undefined;
	readonly retry: { readonly tries: number; readonly firstMs: number; readonly longestMs: number };
	readonly paused: boolean;
}

/** Returns what a route does with OpenPGP messages, as jobs know it. */
export function messageOptionsOf(parts: Pick<RouteWork, 'decrypt' | 'encrypt'>): MessageOptions | undefined {
	const { decrypt, encrypt } = parts;
	if (!decrypt && !encrypt) return undefined;
	const { for: outputFor, ...more } = encrypt ?? {};
	return {
		...(decrypt && { ...decrypt, verifiedBy: [...decrypt.verifiedBy], accept: true }),
		...(outputFor && { ...more, outputFor: [...outputFor] }),
	};
}

/** Tells whether card numbers in clear leave the account through the route, so that two people must allow it. */
export function letsNumbersOut({ from, do: work }: Pick<Route, 'from' | 'do'>): boolean {
	return work.operation === 'detokenize' || (from.place.kind === 'drop' && from.place.area === 'detokenized');
}

/** Returns the time zone of a route: that of its times, or that of its expectation, or UTC. */
export function timeZoneOf({ when, expect }: Pick<Route, 'when' | 'expect'>): string {
	if (when && 'cron' in when) return when.timeZone;
	return expect?.timeZone ?? 'UTC';
}
