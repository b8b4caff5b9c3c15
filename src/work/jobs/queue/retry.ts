// Decides whether a job gets another attempt after a failed one, and which error it shows. Only this file translates
// errors for jobs.

import { BlobMissingError } from '../../../base/blobs/blob-store.ts';
import { findOutage, type Outage } from '../../../base/blobs/outages.ts';
import { DamagedFileError } from '../../../base/blobs/sealed-file.ts';
import { ServiceError, type Told } from '../../../base/errors.ts';
import { told } from '../../../base/failures.ts';
import { FileError } from '../../../engine/format.ts';
import { OptionsError } from '../../../engine/options.ts';
import { StoredMeanwhileError } from '../../../vault/cards/duplicates.ts';
import { DamagedPageError } from '../../../vault/pages/page-row.ts';
import type { JobError } from '../job.ts';
import { KillsWorkerError } from './crashes.ts';

export interface Verdict {
	/** True if another attempt may succeed without any change to the file. */
	readonly isRetryable: boolean;
	/** True if the error is a bug of ours. It is then logged, and the worker thread is replaced. */
	readonly isUnexpected: boolean;
	/** The error that the job shows once no attempt is left. */
	readonly error: JobError;
}

const away = (reason: string, message: string, what?: Told): Verdict => ({
	isRetryable: true,
	isUnexpected: false,
	error: { reason, message, ...(what && { told: what }) },
});

const final = (reason: string, message: string, what?: Told, at?: JobError['at']): Verdict => ({
	isRetryable: false,
	isUnexpected: false,
	error: { reason, message, ...(what && { told: what }), ...(at && { at }) },
});

const AWAY: Readonly<Record<Outage, string>> = {
	'key-store-unavailable': 'the keys were unavailable at every attempt',
	'database-unavailable': 'the database was unavailable at every attempt',
	'drop-store-unavailable': 'no room or no access to store files',
};

/**
 * Decides from the error of an attempt whether the job may be retried and which error it shows. The message of an error
 * is quoted only if the text is ours and contains no content of the file.
 */
export function judgeFailure(error: unknown): Verdict {
	if (error instanceof FileError) return final('file-malformed', error.message, error.told, error.at);
	if (error instanceof KillsWorkerError) return final('kills-the-worker', error.message);
	if (error instanceof OptionsError) {
		const problems = error.problems.join('; ');
		return final('bad-input-parameter', error.message, told('options-unfit', { problems }));
	}
	if (error instanceof ServiceError && error.reason === 'row-altered')
		return final(error.reason, error.moreInfo ?? error.message, error.told);
	if (error instanceof ServiceError && !error.retryable)
		return final(error.reason, error.message, error.told, error.at);
	if (error instanceof StoredMeanwhileError)
		return away('system-error', 'its cards were being stored at every attempt', told('cards-stored-meanwhile'));
	if (error instanceof DamagedFileError)
		return final('input-damaged', 'the stored file was altered or cut, or was put in for another account or folder');
	if (error instanceof DamagedPageError) {
		const text = `${error.message}, and the file has a token of a card on it`;
		return final('card-damaged', text, told('card-damaged', { page: error.pageId }));
	}
	if (error instanceof BlobMissingError) return final('input-missing', 'the stored file is gone');
	if (error instanceof ServiceError) return away(error.reason, 'a store was unavailable at every attempt', error.told);
	// A worker thread ends if it cannot connect to the database. Its error then has the connection error as its cause, and
	// is not a bug.
	const outage = findOutage(error) ?? findOutage((error as Error | null)?.cause);
	if (outage !== undefined) return away(outage, AWAY[outage]);
	if (isBusy(error)) return away('drop-store-unavailable', AWAY['drop-store-unavailable']);
	const message = 'an unexpected condition ended every attempt; the log of the daemon has more';
	return { isRetryable: true, isUnexpected: true, error: { reason: 'system-error', message } };
}

function isBusy(error: unknown): boolean {
	return /^(EIO|EMFILE|ENFILE|EROFS|ESTALE|EACCES)$/.test((error as { code?: string } | null)?.code ?? '');
}
