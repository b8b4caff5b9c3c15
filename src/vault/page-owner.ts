// Defines the owners of pages: the jobs and passes that may still drop them.

import type { JobId, PassId } from '../database/ids.ts';

/**
 * A pass that belongs to no job. No later attempt drops its unadopted pages, so a clean-up drops them if the pass began
 * too long ago.
 */
export interface LonePass {
	readonly id: PassId;
	readonly begunAt: number;
}

/**
 * Pages belong either to a job, whose next attempt drops the pages an earlier one left behind, or to a pass without a
 * job.
 */
export type PageOwner =
	| { readonly jobId: JobId; readonly pass?: undefined }
	| { readonly pass: LonePass; readonly jobId?: undefined };

/**
 * The owner of pages, if they have one. Pages with cards of direct calls are permanent at once, so they have neither a
 * job nor a pass and are never adopted.
 */
export type AnyPageOwner = PageOwner | { readonly jobId: JobId | null; readonly pass?: undefined };

/** Returns the id of the pass that may still drop the pages, or null if the pages are permanent at once. */
export function passIdOf({ jobId, pass }: AnyPageOwner): PassId | null {
	return pass?.id ?? jobId ?? null;
}
