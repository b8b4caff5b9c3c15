import type { Clock } from '../clock.ts';
import type { Database } from '../database/open.ts';
import type { QuotaLimits } from './account-quotas.ts';
import type { InputArea } from './drop-names.ts';
import type { DropFolder } from './drop-store.ts';
import type { SpoolRooms } from './spool.ts';

export interface DropsOptions extends SpoolRooms {
	readonly database: Database;
	/** Names this process among all that share the database. */
	readonly daemonId: string;
	readonly clock?: Clock;
	/** Largest file taken in; no limit unless given. */
	readonly maxFileBytes?: number;
	/** What an account may store; no limit unless given. */
	readonly quotas?: QuotaLimits;
	/** An upload whose daemon is silent this long may be gone on with by another one. */
	readonly holdMs?: number;
}

export interface UploadTarget {
	readonly folder: DropFolder & { readonly area: InputArea };
	readonly name: string;
	/** User id of whoever sends the file. */
	readonly createdBy: string;
}
