import type { SpoolStore } from '../../base/blobs/spool.ts';
import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../base/database/open.ts';
import type { QuotaLimits } from './account-quotas.ts';
import type { InputArea } from './drop-names.ts';
import type { DropFolder } from './drop-store.ts';

export interface DropsOptions extends SpoolStore {
	readonly database: Database;
	/** Identifies this process among all processes that share the database. */
	readonly daemonId: string;
	readonly clock?: Clock;
	/** The size of the largest file that is accepted; absent if there is no limit. */
	readonly maxFileBytes?: number;
	readonly quotas?: QuotaLimits;
	/** If a daemon gives no sign of life for this long, another one may resume its upload. */
	readonly holdMs?: number;
}

export interface UploadTarget {
	readonly folder: DropFolder & { readonly area: InputArea };
	readonly name: string;
	readonly createdBy: string;
}
