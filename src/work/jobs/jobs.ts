// What became of the files of accounts: their jobs, what these have left, and the options of folders. Doors ask this
// object and hold no SQL.

import type { Clock } from '../../base/clock.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import { isUlid } from '../../base/database/ulid.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { TransferEngine } from '../../engine/engine.ts';
import type { DropFile, FilePlace } from '../drops/drop-store.ts';
import type { Drops } from '../drops/drops.ts';
import { type Fetch, noteFetch } from './fetch-store.ts';
import {
	type Alongside,
	type FoundOptions,
	findFormatOptions,
	type OptionScope,
	putFormatOptions,
	removeFormatOptions,
} from './format-options.ts';
import type { JobRow } from './job.ts';
import { findOutput, findReport, jobFiles, type StoredFile } from './job-files.ts';
import { askJobs, type JobPage, type JobQuestion } from './job-page-store.ts';
import { jobStore } from './job-store.ts';
import { type Trial, type TrialResult, tryFile } from './trial.ts';

export interface Jobs {
	/** Returns a job of an account; undefined for any other text. */
	find(accountId: AccountId, id: string): Promise<JobRow | undefined>;
	/** Asks for jobs: `list` returns a page of those that fit, newest first, and `count` how many there are, up to `most`. */
	ask(question: JobQuestion & { readonly accountId: AccountId }): {
		list(page: JobPage): Promise<JobRow[]>;
		count(most: number): Promise<number>;
	};
	/** Finds the last job of a name whose file a user sent at or after `sinceMs`. */
	findSent(place: FilePlace, userId: string, sinceMs: number): Promise<JobRow | undefined>;
	/** Counts the queued jobs of an account, up to `most`. */
	countWaiting(accountId: AccountId, most: number): Promise<number>;
	/** Returns all files that an ended job has left. */
	filesOf(job: JobRow): Promise<DropFile[]>;
	/** Returns the output of a job, or undefined if it has none or the retention of the output has ended. */
	outputOf(job: JobRow): Promise<StoredFile | undefined>;
	/** Returns the report of a job that has ended, if it has one in this format. */
	reportOf(job: JobRow, format: 'json' | 'csv'): Promise<StoredFile | undefined>;
	/** Counts a download of an output. */
	noteFetch(fetch: Fetch): Promise<void>;
	/** Processes a file without storing anything. @throws FileError, OptionsError or ServiceError */
	tryFile(trial: Trial): Promise<TrialResult>;
	/** Finds the options of an account for a filter, or for all filters. */
	findOptions(scope: OptionScope): Promise<FoundOptions | undefined>;
	/** Sets options in place of those of `version`. @throws OptionsChangedError if they have another version by now */
	putOptions(scope: OptionScope, change: OptionsChange): Promise<void>;
	/** Removes options of `version`. @throws OptionsChangedError if they have another version by now */
	removeOptions(scope: OptionScope, change: Omit<OptionsChange, 'options' | 'validate'>): Promise<boolean>;
}

export interface OptionsChange {
	readonly options: unknown;
	readonly version: string;
	/** Throws if the options are not valid for the filter. */
	validate(filter: string, options: unknown): unknown;
	/** Runs in the transaction of the change. */
	readonly alongside: Alongside;
}

export interface JobsOptions {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly engine: TransferEngine;
	readonly drops: Pick<Drops, 'find'>;
	readonly clock: Clock;
	readonly logger: { warn(details: object, message: string): void };
}

export function openJobs(options: JobsOptions): Jobs {
	const { knex } = options.database;
	const store = jobStore(knex);
	return {
		async find(accountId, id) {
			const job = isUlid(id) ? await store.findById(id as JobRow['id']) : undefined;
			return job?.account_id === accountId ? job : undefined;
		},
		ask: (question) => askJobs(options.database, question),
		findSent: store.findLastSent,
		countWaiting: store.countWaiting,
		filesOf: (job) => jobFiles(options, job),
		outputOf: (job) => findOutput(options, job),
		reportOf: (job, format) => findReport(options, job, format),
		noteFetch: (fetch) => noteFetch(knex, fetch, options),
		tryFile: (trial) => tryFile(options, trial),
		findOptions: ({ accountId, filter }) => findFormatOptions(options, accountId, filter),
		putOptions: (scope, { options: given, version, validate, alongside }) =>
			putFormatOptions(options, scope, given, validate, alongside, version),
		removeOptions: ({ accountId, filter }, { version, alongside }) =>
			removeFormatOptions(options, accountId, filter, alongside, version),
	};
}
