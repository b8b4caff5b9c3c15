import { isUlid } from '../../../../drops/ulid.ts';
import { ServiceError } from '../../../../errors.ts';
import type { JobRow } from '../../../../jobs/job.ts';
import { jobStore } from '../../../../jobs/job-store.ts';
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
