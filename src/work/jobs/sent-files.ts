// Tells the sender of a file what was sent a short time ago. Clients ask for a file after its upload, often over another
// connection, although its job may have removed it from its folder by then.

import type { JobId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import type { FilePlace } from '../drops/drop-store.ts';
import { jobStore } from './job-store.ts';

/** A file that was accepted, with the id of its job and the size in bytes that was received. */
export interface SentFile {
	readonly id: JobId;
	readonly size: number;
	readonly sentAt: Date;
	/** True if the file could not be processed, so that a corrected one of its name is expected. */
	readonly hasFailed: boolean;
}

/** At most this many removed files are remembered, so that a daemon that runs for months needs little memory. */
const MAX_FORGOTTEN = 10_000;

export type SentFiles = ReturnType<typeof openSentFiles>;

/** Opens the list of sent files that all sessions of a daemon share. */
export function openSentFiles({ knex }: Pick<Database, 'knex'>) {
	const forgotten = new Set<JobId>();
	return {
		async find(place: FilePlace, userId: string, sinceMs: number): Promise<SentFile | undefined> {
			const job = await jobStore(knex).findLastSent(place, userId, sinceMs);
			if (!job || forgotten.has(job.id)) return undefined;
			const { id, bytes_total: size, created_at, state } = job;
			return { id, size, sentAt: new Date(created_at), hasFailed: state === 'failed' };
		},
		/** Forgets a file, because its sender has removed its name. */
		forget(id: JobId): void {
			forgotten.add(id);
			for (const oldest of forgotten) {
				if (forgotten.size <= MAX_FORGOTTEN) break;
				forgotten.delete(oldest);
			}
		},
	};
}
