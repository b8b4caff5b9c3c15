import type { JobId, PassId } from '../../base/database/ids.ts';
import { makeUlid } from '../../base/database/ulid.ts';
import type { JobPass, LonePass } from '../../vault/pages/page-owner.ts';

/** Returns a new pass, with an id of its own, over a file or batch that belongs to no job. */
export function lonePass(nowMs: number): LonePass {
	return { id: makeUlid(nowMs) as PassId, begunAt: nowMs };
}

/** Returns the pass of a new attempt at a job. */
export function jobPass(jobId: JobId, nowMs: number): JobPass {
	return { id: makeUlid(nowMs) as PassId, jobId };
}
