// Ends in one transaction all jobs whose attempts succeed at the same moment: outputs, reports, inputs, jobs and their
// passes are changed together or not at all. Each statement covers all of these jobs, because with thousands of
// small files the statements take longer than processing the files.

import type { Knex } from 'knex';
import type { HoldingStore } from '../../../base/blobs/blob-store.ts';
import { writeHeld } from '../../../base/blobs/small-blobs.ts';
import { REFUSALS } from '../../../base/card/verdict.ts';
import type { Dialect } from '../../../base/database/dialect.ts';
import { gatherTransactions } from '../../../base/database/gather.ts';
import { type NewEvent, recordEvents } from '../../../base/outbox/record-events.ts';
import type { Summary } from '../../../engine/report.ts';
import { dropStore, type NewDropFile, placeOf } from '../../drops/drop-store.ts';
import type { PassResult } from '../../ledger/ledger.ts';
import { type JobError, type JobRow, outputStore, placeIn } from '../job.ts';
import { jobStore } from '../job-store.ts';
import { outputName } from '../output-name.ts';
import { LeaseLostError } from '../queue/lease-lost.ts';
import { lockNames, type NameScope } from '../queue/name-lock-store.ts';
import type { JobLedger, JobLedgers } from '../worker-parts.ts';
import { type EndingJob, type Product, type Products, productFile, putReports, reportPlaces } from './put-reports.ts';
import type { CountedText } from './report-book.ts';

export interface DoneJob extends EndingJob {
	readonly products: Products & { readonly output: Product };
	readonly summary: Summary;
	/** The reasons why cards were refused, each with the number of its cards, as the report shows them. */
	readonly refusals?: readonly Pick<CountedText, 'text' | 'cards'>[];
	readonly ledger: Pick<JobLedger, 'endOf'>;
	/** The ledgers of the worker thread, which are the same for all of its jobs. */
	readonly ledgers: Pick<JobLedgers, 'end'>;
	/** Holds the small blobs of the attempt in memory until the transaction that ends the job stores them. */
	readonly blobs: HoldingStore;
}

/** Ends jobs, and returns for each of them the ids of the blobs that may be removed after the commit. */
export type JobEnds = (done: DoneJob) => Promise<readonly string[]>;

/**
 * Returns the function that ends a job, in one transaction with other jobs that end at the same moment.
 * It throws LeaseLostError if the job no longer belongs to its attempt; nothing is published for that job then
 */
export function openJobEnds(database: { readonly knex: Knex; readonly dialect: Dialect }): JobEnds {
	return gatherTransactions<DoneJob, readonly string[]>(database, {
		orderOf: ({ job }) => textOf(job),
		doAll: (transaction, done) => endJobs(transaction, database.dialect, done),
	});
}

async function endJobs(transaction: Knex.Transaction, dialect: Dialect, done: readonly DoneJob[]) {
	const jobs = done.map(({ job }) => job);
	const [{ blobs, ledgers }] = done;
	const files = dropStore(transaction);
	await requireClaimed(transaction, dialect, jobs);
	await lockNames(transaction, dialect, namesOf(done));
	await writeHeld(
		transaction,
		done.map(({ blobs }) => blobs),
	);
	const present = await files.listVisible(
		done.flatMap((each) => [outputPlace(each), ...reportPlaces(each.job)]),
		dialect,
	);
	const overtaken = await jobStore(transaction).listOvertaken(jobs);
	const reports = await putReports(transaction, done, present, overtaken);
	const added: NewDropFile[][] = [];
	for (const [nth, each] of done.entries()) {
		const { job } = each;
		const wanted = wantedName(each);
		const isFree = !overtaken.outputs.has(job.id) && !present.has(placeOf(outputPlace(each)));
		const name = isFree ? wanted : await outputName(transaction, job, wanted);
		const place = placeIn(outputStore(each.job), name);
		added.push([productFile(each.job, place, each.products.output, each.nowMs), ...reports[nth].added]);
	}
	const inserted = await files.insertAll(added.flat());
	await jobStore(transaction).endDone(
		done.map(({ job, summary, nowMs }, nth) => {
			const [output, report] = added[nth].map((file) => inserted.get(placeOf(file))!);
			const ids = { output_id: output.id, report_id: report.id };
			return { id: job.id, ...doneCounts(summary), finished_at: nowMs, ...ids };
		}),
	);
	const inputs = await files.takeAll(jobs.map(({ input_id }) => input_id));
	const obsolete = jobs.map(({ input_id }, nth) => {
		const input = inputs.get(input_id);
		return input === undefined ? [...reports[nth].replaced] : [input, ...reports[nth].replaced];
	});
	const left = new Set(await blobs.removeWithin(transaction, obsolete.flat()));
	const events = done.flatMap(({ job, summary }) => doneEvents(job, summary));
	await recordEvents(transaction, events, done[0].nowMs);
	await ledgers.end(
		done.map((each) => each.ledger.endOf(passOf(each))),
		transaction,
	);
	return obsolete.map((ids) => ids.filter((id) => left.has(id)));
}

/**
 * Locks the rows of jobs.
 * @throws LeaseLostError if one of them no longer belongs to the attempt that has claimed it
 */
export async function requireClaimed(transaction: Knex.Transaction, dialect: Dialect, jobs: readonly JobRow[]) {
	const claims = await jobStore(transaction).lockClaims(jobs, dialect);
	for (const job of jobs) {
		const claim = claims.get(job.id);
		if (claim?.claimed_by !== job.claimed_by || claim.attempts !== job.attempts) throw new LeaseLostError(job);
	}
}

const outputPlace = (done: DoneJob) => placeIn(outputStore(done.job), wantedName(done));

const wantedName = ({ job, products }: DoneJob) => products.output.name ?? job.name;

/** Lists the names to be locked, in sorted order: those of the jobs, and those of outputs that have other names. */
function namesOf(done: readonly DoneJob[]): NameScope[] {
	const own = done.map(({ job: { account_id, filter, name } }) => ({ account_id, filter, name }));
	const others = done.filter((each) => wantedName(each) !== each.job.name);
	if (others.length === 0) return own;
	const added = others.map((each) => ({ ...scopeOf(each.job), name: wantedName(each) }));
	return [...own, ...added].sort((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
}

const scopeOf = ({ account_id, filter }: JobRow) => ({ account_id, filter });
const textOf = ({ account_id, filter, name }: NameScope) => `${account_id}/${filter}/${name}`;

export function doneCounts(summary: Summary) {
	return {
		bytes_read: summary.bytesRead,
		cards: summary.cards,
		refused: summary.refused,
		warned: summary.warned,
		other_numbers: summary.otherNumbers,
		other_codes: summary.otherCodes,
		summary: JSON.stringify(summary),
	};
}

function passOf({ job, summary, refusals = [] }: DoneJob): PassResult {
	const { cards, refused, otherNumbers } = summary;
	return { cards, details: { refused, ...refusedFor(refusals) }, others: { filter: job.filter, otherNumbers } };
}

/** Returns the reasons for refusals as the audit trail has them: `luhn 3, expired 1`. Their texts are in the report. */
function refusedFor(refusals: readonly Pick<CountedText, 'text' | 'cards'>[]): { reasons?: string } {
	const names = new Map<string, string>(Object.entries(REFUSALS).map(([name, text]) => [text, name]));
	const reasons = refusals.flatMap(({ text, cards }) => {
		const name = names.get(text);
		return name === undefined ? [] : `${name} ${cards}`;
	});
	return reasons.length === 0 ? {} : { reasons: reasons.join(', ') };
}

/** Returns the events of a job whose file was processed, in the order in which they are told. */
function doneEvents(job: JobRow, { cards, refused, otherNumbers }: Summary): NewEvent[] {
	const event = (type: NewEvent['type'], data: NewEvent['data']) => eventOf(job, type, data);
	return [
		event('job.done', { cards, refused, otherNumbers }),
		...(refused > 0 ? [event('job.refused_cards', { cards, refused })] : []),
		...(otherNumbers > 0 ? [event('file.other_numbers', { otherNumbers })] : []),
	];
}

export function failedEvent(job: JobRow, { reason, message }: JobError): NewEvent {
	return eventOf(job, 'job.failed', { reason, message });
}

function eventOf(job: JobRow, type: NewEvent['type'], data: NewEvent['data']): NewEvent {
	const { id, account_id: accountId, operation, filter, name } = job;
	return { type, accountId, about: `job ${id}`, data: { job: id, operation, filter, name, ...data } };
}
