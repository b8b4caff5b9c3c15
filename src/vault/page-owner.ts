// Defines the owners of pages: the jobs and passes that may still drop them.

import type { JobId, PassId } from '../database/ids.ts';

/**
 * A pass that belongs to no job. If it fails, there is no later attempt to drop its unadopted pages, so a clean-up
 * drops them some time after the pass began.
 */
export interface LonePass {
	readonly id: PassId;
	readonly begunAt: number;
}

/**
 * The owner of pages is either a job or a pass without a job. The next attempt at a job drops the pages that an earlier
 * attempt has left behind.
 */
export type PageOwner =
	| { readonly jobId: JobId; readonly pass?: undefined }
	| { readonly pass: LonePass; readonly jobId?: undefined };

/**
 * The owner of pages, if they have one. Pages with cards of direct calls are permanent as soon as they are stored, so
 * they have neither a job nor a pass and are never adopted.
 */
export type AnyPageOwner = PageOwner | { readonly jobId: JobId | null; readonly pass?: undefined };

/**
 * Returns the id under which the pages can still be dropped: that of the job or of the pass without a job. Returns null
 * if the pages are permanent as soon as they are stored.
 */
export function passIdOf({ jobId, pass }: AnyPageOwner): PassId | null {
	return pass?.id ?? jobId ?? null;
}
