// Whose pages are that may still be dropped.

import type { JobId, PassId } from '../database/ids.ts';

/** A pass that is no job. Nobody comes back for its pages, so they are dropped when it began too long ago. */
export interface LonePass {
	readonly id: PassId;
	readonly begunAt: number;
}

/** A job, whose next attempt drops what an earlier one left behind, or a pass by itself. */
export type PageOwner =
	| { readonly jobId: JobId; readonly pass?: undefined }
	| { readonly pass: LonePass; readonly jobId?: undefined };

/** Cards of direct calls count at once: nobody has to adopt their pages. */
export type AnyPageOwner = PageOwner | { readonly jobId: JobId | null; readonly pass?: undefined };

/** What its pages go by; null where they count at once. */
export function passIdOf({ jobId, pass }: AnyPageOwner): PassId | null {
	return pass?.id ?? jobId ?? null;
}
