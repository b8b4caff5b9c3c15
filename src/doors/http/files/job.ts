// Creates a job from a file that a caller sends. Under one idempotency key only one job is created, no matter how often
// the file is sent (shapes §1).

import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../../base/clock.ts';
import type { Database } from '../../../base/database/open.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import type { Identity } from '../../../people/identity/identity.ts';
import type { Drops } from '../../../work/drops/drops.ts';
import { requireUnits } from '../../../work/folders/guards.ts';
import { ownOptionsOf } from '../../../work/jobs/format-options.ts';
import type { Intake } from '../../../work/jobs/intake.ts';
import { type JobRow, listedJob } from '../../../work/jobs/job.ts';
import { jobStore } from '../../../work/jobs/job-store.ts';
import { findIdempotencyKey, idempotencyClaims } from '../idempotency/claims.ts';
import { findMade, notingMade } from '../idempotency/effects.ts';
import { isAnswered, sendKept } from '../idempotency/kept-answer.ts';
import { answer } from '../negotiation/answer.ts';
import { acceptFile, discardFile, type JobFile, receiveFile } from './accept.ts';

interface FileJobsOptions {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly identity: Identity;
	readonly drops: Drops;
	readonly intake: Intake;
	readonly clock: Clock;
}

export type FileJobs = ReturnType<typeof openFileJobs>;

export function openFileJobs(options: FileJobsOptions) {
	return {
		/** Creates the job and answers with it, or repeats the answer to the first call with the same idempotency key. */
		async make(file: JobFile, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
			const key = findIdempotencyKey(request);
			if (key !== undefined) return makeJobOnce(options, { ...file, key }, request, reply);
			await requireUnits(request.principal, file.direction, options.identity.allowance);
			const upload = await receiveFile(options, file, request);
			const job = await acceptFile(options, upload, ownOptionsOf(request.principal, file.direction));
			return answerWithJob(job, request, reply);
		},
	};
}

/**
 * Creates the job, or repeats the answer of an earlier call with the same idempotency key. The key is claimed only when
 * the whole file has arrived, because an upload may take hours, and an upload that breaks off must not leave a claim
 * behind.
 */
async function makeJobOnce(
	options: FileJobsOptions,
	file: JobFile & { readonly key: string },
	request: FastifyRequest,
	reply: FastifyReply,
): Promise<FastifyReply> {
	const claims = idempotencyClaims(options);
	// If the idempotency key was used before, this call may get the answer of the earlier call, even if the allowance
	// is used up. So the allowance is not checked yet.
	const isRepetition = (await claims.find(request, file.key)) !== undefined;
	if (!isRepetition) await requireUnits(request.principal, file.direction, options.identity.allowance);
	const body = createHash('sha256');
	const upload = await receiveFile(options, file, request, body);
	try {
		const row = await claims.claim(request, { key: file.key, body });
		if (isAnswered(row)) {
			await discardFile(options, upload);
			return sendKept(options.keyRing, row, reply);
		}
		// From here on a file is only refused for reasons that are temporary, such as another upload of the same name.
		// So an answer is kept for the idempotency key only if it contains a job.
		request.idempotency = { key: file.key, body, claim: row, isProvisional: true };
		const made = await findMadeJob(options, request);
		if (made) {
			await discardFile(options, upload);
			request.idempotency.isProvisional = false;
			return answerWithJob(made, request, reply);
		}
		if (isRepetition) await requireUnits(request.principal, file.direction, options.identity.allowance);
	} catch (error) {
		await discardFile(options, upload);
		throw error;
	}
	const note = notingMade(request);
	const own = ownOptionsOf(request.principal, file.direction);
	const job = await acceptFile(
		options,
		upload,
		own,
		note && (({ id }, transaction) => note({ kind: 'job', id }, transaction)),
	);
	request.idempotency.isProvisional = false;
	return answerWithJob(job, request, reply);
}

/** Finds the job that an earlier call with the same key has created, if that call ended before it was answered. */
async function findMadeJob({ database }: { database: Database }, request: FastifyRequest): Promise<JobRow | undefined> {
	const made = findMade(request, 'job');
	return made && jobStore(database.knex).findById(made.id);
}

function answerWithJob(job: JobRow, request: FastifyRequest, reply: FastifyReply) {
	reply.code(202).header('location', `/api/jobs/${job.id}`);
	return answer(request, reply, listedJob(job, request.principal.userId), { root: 'Job' });
}
