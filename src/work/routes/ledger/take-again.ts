// Takes files of a route again: those that were given up, and those that are to come anew.

import { transact } from '../../../base/database/dialect.ts';
import { why, whyColumns } from '../../../base/failures.ts';
import type { Actor } from '../../../trail/actor.ts';
import { CARD_IN_NAME } from '../../drops/drop-names.ts';
import { dropStore } from '../../drops/drop-store.ts';
import type { Intake } from '../../jobs/intake.ts';
import { jobStore } from '../../jobs/job-store.ts';
import type { DeliveryParts } from '../delivery/delivery-parts.ts';
import { removeHeld } from '../delivery/held-content.ts';
import { type RouteRow, routeStore } from '../route-store.ts';
import { type LedgerRow, ledgerStore } from './ledger-store.ts';

export interface TakenAgain {
	readonly row: RouteRow;
	readonly subject: string;
	readonly actor: Actor;
}

/** Puts failed jobs back into the queue. */
interface IntakeOfJobs {
	readonly intake: Pick<Intake, 'retry'>;
}

/** Takes files that were given up again, with what was collected of them, and returns their paths. */
export async function retryFiles(
	parts: Pick<DeliveryParts, 'database' | 'audit' | 'clock'> & IntakeOfJobs,
	{ row, subject, actor }: TakenAgain,
	which: { readonly path?: string; readonly runId?: string },
): Promise<string[]> {
	const { database, audit, clock } = parts;
	const dead = await ledgerStore(database.knex).listDead(row.id, which);
	const taken: string[] = [];
	for (const file of dead) {
		const collected = await takeJobAgain(parts, file);
		await transact(database, async (transaction) => {
			// A name that holds a card number is stored masked, so its file is not found again: it is given up once more.
			const stays = file.reason === CARD_IN_NAME ? why(CARD_IN_NAME, 'card-in-name') : null;
			const again = { state: 'claimed' as const, tries: 0, next_try_at: null, ended_at: null, ...whyColumns(stays) };
			if (!(await ledgerStore(transaction).update(file, { ...again, ...collected }))) return;
			taken.push(file.path);
			// The next run takes it up at once. A route that is stopped or paused does so when somebody lets it go on.
			const isFree = { paused: false, stopped_reason: null };
			await routeStore(transaction).update(row.id, isFree, { retry_at: clock.now().getTime() });
			const entry = { actor, action: 'route.retry', subject, account: { within: row.account_id } };
			await audit.record({ ...entry, details: { path: file.path } }, transaction);
		});
	}
	return taken;
}

/** Puts a failed job back into the queue. What is gone meanwhile is collected anew. */
async function takeJobAgain({ database, intake }: Pick<DeliveryParts, 'database'> & IntakeOfJobs, file: LedgerRow) {
	const anew = { job_id: null, held_id: null };
	if (file.delivered_at !== null) return {};
	const job = file.job_id === null ? undefined : await jobStore(database.knex).findById(file.job_id);
	if (job?.state === 'failed') return (await intake.retry(job)) ? {} : anew;
	const id = job?.output_id ?? file.held_id;
	const isThere = id != null && (await dropStore(database.knex).findById(id)) !== undefined;
	return isThere || job?.state === 'queued' || job?.state === 'running' ? {} : anew;
}

/** Forgets a path, so that its file may come again; returns how many files were forgotten. */
export async function forgetFile(
	parts: Pick<DeliveryParts, 'database' | 'drops' | 'audit'>,
	{ row, subject, actor }: TakenAgain,
	path: string,
): Promise<number> {
	const { database, audit } = parts;
	const forgotten = await transact(database, async (transaction) => {
		const rows = await ledgerStore(transaction).remove(row.id, path);
		const entry = { actor, action: 'route.forget', subject, account: { within: row.account_id } };
		if (rows.length > 0) await audit.record({ ...entry, details: { path } }, transaction);
		return rows;
	});
	for (const file of forgotten) await removeHeld(parts, file);
	return forgotten.length;
}
