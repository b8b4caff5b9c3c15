// Sends outputs and reports. Outputs with card numbers in clear need a right of their own, and the audit trail records
// every output before it is sent.

import { ServiceError } from '../../../../../base/errors.ts';
import { dropStore } from '../../../../../work/drops/drop-store.ts';
import { noteFetch } from '../../../../../work/jobs/fetch-store.ts';
import type { JobRow } from '../../../../../work/jobs/job.ts';
import { findOutput, findReport, type StoredFile } from '../../../../../work/jobs/job-files.ts';
import { sendDrop } from '../../../files/drops.ts';
import type { HttpRooms } from '../../../rooms.ts';
import type { PortalAnswer, PortalCall, PortalPage } from '../../portal-page.ts';
import { SessionEndedError } from '../../refusals.ts';
import { principalOf, requireNumbers } from './account-of.ts';
import { jobOf } from './job-of.ts';
import { folderOfCall } from './places.ts';
import { sessionCheck } from './signed-in.ts';

export function downloadPages(rooms: HttpRooms): PortalPage[] {
	return [
		{
			path: '/portal/jobs/:id/output',
			method: 'GET',
			right: 'files.fetch',
			async handle(call) {
				const job = await jobOf(call, rooms);
				if (job.operation === 'detokenize') requireNumbers(call);
				const stored = await findOutput(rooms, job);
				if (!stored) throw new ServiceError('uri-not-found');
				return sendOutput(call, rooms, stored, job.id);
			},
		},
		{
			path: '/portal/jobs/:id/report',
			method: 'GET',
			right: 'files.fetch',
			async handle(call) {
				const format = call.query.format === 'csv' ? 'csv' : 'json';
				const stored = await findReport(rooms, await jobOf(call, rooms), format);
				if (!stored) throw new ServiceError('uri-not-found');
				return sendFile(call, rooms, stored);
			},
		},
		{
			path: '/portal/files/:area/:filter/download',
			method: 'GET',
			right: 'files.fetch',
			async handle(call) {
				const folder = folderOfCall(call, rooms);
				const isOutput = folder.area === 'tokenized' || folder.area === 'detokenized';
				if (!isOutput && folder.area !== 'reports') throw new ServiceError('uri-not-found');
				if (folder.area === 'detokenized') requireNumbers(call);
				const file = await dropStore(rooms.database.knex).findVisible(folder, call.query.name ?? '');
				if (file?.state !== 'ready') throw new ServiceError('uri-not-found');
				const stored = { folder, file };
				return isOutput ? sendOutput(call, rooms, stored, file.job_id ?? undefined) : sendFile(call, rooms, stored);
			},
		},
	];
}

async function sendOutput(
	call: PortalCall,
	rooms: HttpRooms,
	stored: StoredFile,
	jobId: JobRow['id'] | undefined,
): Promise<PortalAnswer> {
	const { area, filter, name } = stored.file;
	const subject = jobId === undefined ? `file /${area}/${filter}/${name}` : `job ${jobId}`;
	await rooms.audit.record({ actor: call.viewer.actor, action: 'file.download', subject, details: { name } });
	const { userId } = principalOf(call);
	if (jobId !== undefined) await noteFetch(rooms.database.knex, { jobId, userId, door: 'http' }, rooms);
	return sendFile(call, rooms, stored);
}

/**
 * Sends a file as a download, so that a browser saves it and never shows it, whatever it contains. If the session of the user
 * ends, the rest of the file is not sent.
 */
function sendFile({ request }: PortalCall, rooms: HttpRooms, stored: StoredFile): PortalAnswer {
	return {
		send: (reply) => {
			reply.type('application/octet-stream').header('cache-control', 'no-store');
			return sendDrop(rooms, stored, request, reply, downloadCheck(request, rooms));
		},
	};
}

function downloadCheck(request: PortalCall['request'], rooms: HttpRooms): () => Promise<void> {
	const check = sessionCheck(request, rooms, 'files.fetch');
	return async () => {
		try {
			await check();
		} catch (err) {
			const isExpected = err instanceof SessionEndedError;
			const about = { requestId: request.id, ...(!isExpected && { err }) };
			rooms.logger[isExpected ? 'info' : 'error'](about, 'a download was cut off: its session is not open any more');
			throw err;
		}
	};
}
