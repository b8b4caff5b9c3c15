// Sends outputs and reports. Outputs with card numbers in clear need a right of their own, and the audit trail records
// every output before it is sent.

import type { JobRow } from '../../../../../work/jobs/job.ts';
import type { StoredFile } from '../../../../../work/jobs/job-files.ts';
import { sendDrop } from '../../../files/drops.ts';
import { thingOf } from '../../kinds/group.ts';
import { principalOf, requireNumbers } from '../../own.ts';
import type { PortalParts } from '../../parts.ts';
import { get, type PortalAnswer, type PortalCall, type PortalPage } from '../../portal-page.ts';
import { notThere, SessionEndedError } from '../../refusals.ts';
import { SAMPLE_PATH, sendSample } from './first-file.ts';
import { findJob } from './job-page.ts';
import { FOLDER, folderOfCall } from './places.ts';

type Parts = Pick<PortalParts, 'audit' | 'drops' | 'formats' | 'jobs' | 'logger'>;

export function downloadPages(parts: Parts): PortalPage[] {
	const { drops, formats, jobs } = parts;
	const jobOf = (call: PortalCall) => thingOf({ find: () => findJob(parts, call) }, call);
	return [
		get('/portal/jobs/:id/output', 'files.fetch', async (call) => {
			const job = await jobOf(call);
			if (job.operation === 'detokenize') requireNumbers(call);
			const stored = await jobs.outputOf(job);
			if (!stored) throw notThere();
			return sendOutput(call, parts, stored, job.id);
		}),
		get('/portal/jobs/:id/report', 'files.fetch', async (call) => {
			const stored = await jobs.reportOf(await jobOf(call), call.query.format === 'csv' ? 'csv' : 'json');
			if (!stored) throw notThere();
			return sendFile(call, parts, stored);
		}),
		get(SAMPLE_PATH, 'files.upload', async () => sendSample()),
		get(`${FOLDER}/download`, 'files.fetch', async (call) => {
			const folder = folderOfCall(call, formats);
			const isOutput = folder.area === 'tokenized' || folder.area === 'detokenized';
			if (!isOutput && folder.area !== 'reports') throw notThere();
			if (folder.area === 'detokenized') requireNumbers(call);
			const file = await drops.find(folder, call.query.name ?? '');
			if (file?.state !== 'ready') throw notThere();
			const stored = { folder, file };
			return isOutput ? sendOutput(call, parts, stored, file.job_id ?? undefined) : sendFile(call, parts, stored);
		}),
	];
}

async function sendOutput(
	call: PortalCall,
	parts: Parts,
	stored: StoredFile,
	jobId: JobRow['id'] | undefined,
): Promise<PortalAnswer> {
	const { area, filter, name } = stored.file;
	const subject = jobId === undefined ? `file /${area}/${filter}/${name}` : `job ${jobId}`;
	await parts.audit.record({ actor: call.viewer.actor, action: 'file.download', subject, details: { name } });
	const { userId } = principalOf(call);
	if (jobId !== undefined) await parts.jobs.noteFetch({ jobId, userId, door: 'http' });
	return sendFile(call, parts, stored);
}

/**
 * Sends a file as a download, so that a browser saves it and never shows it, whatever it contains. If the session of the user
 * ends, the rest of the file is not sent.
 */
function sendFile(call: PortalCall, parts: Parts, stored: StoredFile): PortalAnswer {
	return {
		send: (reply) => {
			reply.type('application/octet-stream').header('cache-control', 'no-store');
			return sendDrop(parts, stored, call.request, reply, downloadCheck(call, parts));
		},
	};
}

function downloadCheck({ request, checkSession }: PortalCall, parts: Parts): () => Promise<void> {
	const check = checkSession('files.fetch');
	return async () => {
		try {
			await check();
		} catch (err) {
			const isExpected = err instanceof SessionEndedError;
			const about = { requestId: request.id, ...(!isExpected && { err }) };
			parts.logger[isExpected ? 'info' : 'error'](about, 'a download was cut off: its session is not open any more');
			throw err;
		}
	};
}
