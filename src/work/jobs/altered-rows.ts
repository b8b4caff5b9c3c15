// Checks the seals of jobs, and creates the errors for rows that do not match their seal. A file that depends on such a
// row is not processed.

import { ServiceError } from '../../base/errors.ts';
import { told } from '../../base/failures.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { JobRow } from './job.ts';
import { sealedJobs } from './sealed-rows.ts';

/** The filter value under which options for all filters of an account are stored. */
export const ANY_FILTER = '*';

/**
 * @throws ServiceError if account, user, direction, folder, options or input of the job were changed since it was
 * accepted
 */
export async function requireIntactJob({ seals }: Pick<KeyRing, 'seals'>, job: JobRow): Promise<void> {
	// A Buffer sent from another thread arrives as a plain Uint8Array, so it is turned into a Buffer again.
	const row = { ...job, seal: job.seal && Buffer.from(job.seal) };
	if (await seals.withSealer((sealer) => sealer.isIntact(sealedJobs, row))) return;
	throw new ServiceError('row-altered', {
		told: told('job-altered'),
		moreInfo:
			`account, folder, direction or options of this job in ${folderOf(job)} are not those it was accepted with; ` +
			'nothing of the file was read: send it again, and have an operator look for `integrity.failed` in the audit trail',
	});
}

/**
 * Returns the error for options that do not match their seal. Options that an operator sets always match it, so these
 * were altered in the database.
 */
export function alteredOptions(filter: string): ServiceError {
	const whose = filter === ANY_FILTER ? 'all folders of the account' : `folder ${filter}`;
	return new ServiceError('row-altered', {
		told: told('options-altered', { filter }),
		moreInfo:
			`the options of ${whose} are not what an operator has set: they are to be looked at with \`tokendrop format-options ` +
			`show --filter '${filter}'\` and put or removed; then retry`,
	});
}

function folderOf({ operation, filter }: JobRow): string {
	return `/${operation}/${filter}`;
}
