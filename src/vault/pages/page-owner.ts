// Defines the passes that own pages: until the pages of a pass are adopted, they may still be dropped.

import type { JobId, PassId } from '../../base/database/ids.ts';

/**
 * A pass that belongs to no job. If it fails, there is no later attempt to drop its unadopted pages, so a clean-up
 * drops them some time after the pass began.
 */
export interface LonePass {
	readonly id: PassId;
	readonly begunAt: number;
	readonly jobId?: undefined;
}

/**
 * One attempt at a job. Each attempt is a pass of its own, so that pages which a stalled daemon writes after a later
 * attempt has begun are never adopted with those of the later attempt.
 */
export interface JobPass {
	readonly id: PassId;
	readonly jobId: JobId;
	readonly begunAt?: undefined;
}

/** The owner of pages that may still be dropped. */
export interface PageOwner {
	readonly pass: LonePass | JobPass;
}

/**
 * The owner of pages, if they have one. Pages with cards of direct calls are permanent as soon as they are stored, so
 * they belong to no pass and are never adopted.
 */
export type AnyPageOwner = PageOwner | { readonly pass?: undefined };

/** Returns the id under which pages say who has written them: that of their job, or of their pass if they have no job. */
export function writerOf({ pass }: AnyPageOwner): JobId | PassId | null {
	return pass?.jobId ?? pass?.id ?? null;
}

/** Returns the id of the pass that may still drop the pages, or null if they are permanent as soon as they are stored. */
export function passIdOf({ pass }: AnyPageOwner): PassId | null {
	return pass?.id ?? null;
}
