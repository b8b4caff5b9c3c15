import { isUlid } from '../../../../../base/database/ulid.ts';
import { ServiceError } from '../../../../../base/errors.ts';
import type { JobRow } from '../../../../../work/jobs/job.ts';
import { jobStore } from '../../../../../work/jobs/job-store.ts';
import type { HttpRooms } from '../../../rooms.ts';
import type { PortalCall } from '../../portal-page.ts';
import { principalOf } from './account-of.ts';

/**
 * Returns the job that the URL names.
 * @throws ServiceError if the account of the viewer has no such job
 */
export async function jobOf(call: PortalCall, { database }: Pick<HttpRooms, 'database'>): Promise<JobRow> {
	const id = call.params.id as JobRow['id'];
	const job = isUlid(id) ? await jobStore(database.knex).findById(id) : undefined;
	if (!job || job.account_id !== principalOf(call).accountId) throw new ServiceError('uri-not-found');
	return job;
}
