// Tells the script that sends files what was kept of one, and what became of it; and gives an upload up.

import type { UploadTarget } from '../../../../../work/drops/drops-options.ts';
import { maskedToken } from '../../csrf.ts';
import { requireNumbers } from '../../own.ts';
import type { PortalParts } from '../../parts.ts';
import { get, type PortalAnswer, type PortalCall, type PortalPage, post } from '../../portal-page.ts';
import { discardKept, hashKept, settleKept } from './kept-upload.ts';
import { answering, jsonAnswer, numberOf, targetOf } from './upload-call.ts';
import { UPLOAD_PATH } from './upload-form.ts';

type Parts = Pick<PortalParts, 'audit' | 'clock' | 'drops' | 'formats' | 'jobs'>;

export function keptPages(parts: Parts): PortalPage[] {
	return [
		get(
			`${UPLOAD_PATH}/:area/:filter`,
			'files.upload',
			answering((call) => keptOf(call, parts)),
		),
		post(
			`${UPLOAD_PATH}/:area/:filter/discard`,
			'files.upload',
			answering((call) => discard(call, parts)),
		),
	];
}

/**
 * Answers how much of an unfinished upload has been received, and with `hash=1` also the hash of it, or with `since` which
 * job has been made of the file since then. The answer has the
 * user and the CSRF token of the present session, which may be a new one, so that the script can go on.
 */
async function keptOf(call: PortalCall, parts: Parts): Promise<PortalAnswer> {
	const target = targetOf(call, parts);
	const { user, session } = call.viewer;
	const own = { user: user.id, csrf: maskedToken(session.csrf) };
	if (call.query.hash === undefined) {
		const file = await settleKept(parts, target);
		const accepted = file ? undefined : await findAccepted(call, parts, target);
		return jsonAnswer({ size: file?.size ?? 0, at: parts.clock.now().getTime(), accepted, ...own });
	}
	if (target.folder.area === 'detokenize') requireNumbers(call);
	return jsonAnswer({ ...(await hashKept(parts, target)), ...own });
}

/** Finds the job of a file that was accepted since the script began to send it, whose answer may have been lost. */
async function findAccepted(call: PortalCall, { jobs }: Parts, { folder, name, createdBy }: UploadTarget) {
	if (call.query.since === undefined) return undefined;
	const { accountId: account_id, area, filter } = folder;
	const job = await jobs.findSent({ account_id, area, filter, name }, createdBy, numberOf(call, 'since'));
	return job && { job: job.id, size: job.bytes_total };
}

async function discard(call: PortalCall, parts: Parts): Promise<PortalAnswer> {
	const target = targetOf(call, parts);
	if (target.folder.area === 'detokenize') requireNumbers(call);
	await discardKept(call, parts, target);
	return jsonAnswer({ size: 0 });
}
