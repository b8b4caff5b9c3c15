// Checks the seals of jobs. The file of one that does not match its seal is not processed.

import { ServiceError } from '../../base/errors.ts';
import { told } from '../../base/failures.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { sealedJobs } from './job-store.ts';
import type { JobRow } from './job.ts';

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
			`account, folder, direction or options of this job in /${job.operation}/${job.filter} are not those it was ` +
			'accepted with; nothing of the file was read: send it again, and have an operator look for `integrity.failed` in the audit trail',
	});
}
