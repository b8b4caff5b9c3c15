// What became of the files of accounts: their jobs, what these have left, and the options of folders. Doors ask this
// object and hold no SQL.

import type { Clock } from '../../base/clock.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import { isUlid } from '../../base/database/ulid.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { TransferEngine } from '../../engine/engine.ts';
import type { Drops } from '../drops/drops.ts';
import { type Fetch, noteFetch } from './fetch-store.ts';
import {
	type Alongside,
	findFormatOptions,
	type OptionScope,
	putFormatOptions,
	removeFormatOptions,
} from './format-options.ts';
import type { JobRow } from './job.ts';
import { findOutput, findReport, jobFiles } from './job-files.ts';
import { askJobs, type JobQuestion } from './job-page-store.ts';
import { jobStore } from './job-store.ts';
import { type Trial, tryFile } from './trial.ts';

export interface OptionsChange {
	readonly options: unknown;
	readonly version: string;
	/** Throws if the options are not valid for the filter. */
	validate(filter: string, options: unknown): unknown;
	/** Runs in the transaction of the change. */
	readonly alongside: Alongside;
}

export type Jobs = ReturnType<typeof openJobs>;

export function openJobs(options: {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly engine: TransferEngine;
	readonly drops: Pick<Drops, 'find'>;
	readonly clock: Clock;
	readonly logger: { warn(details: object, message: string): void };
}) {
	const { knex } = options.database;
	const store = jobStore(knex);
	return {
		/** Returns a job of an account; undefined for any other text. */
		async find(accountId: AccountId, id: string): Promise<JobRow | undefined> {
			const job = isUlid(id) ? await store.findById(id as JobRow['id']) : undefined;
			return job?.account_id === accountId ? job : undefined;
		},
		/** Asks for jobs: `list` returns a page of those that fit, newest first, and `count` how many there are, up to `most`. */
		ask: (question: JobQuestion & { readonly accountId: AccountId }) => askJobs(options.database, question),
		findSent: store.findLastSent,
		countWaiting: store.countWaiting,
		/** Returns all files that an ended job has left. */
		filesOf: (job: JobRow) => jobFiles(options, job),
		/** Returns the output of a job, or undefined if it has none or the retention of the output has ended. */
		outputOf: (job: JobRow) => findOutput(options, job),
		reportOf: (job: JobRow, format: 'json' | 'csv') => findReport(options, job, format),
		noteFetch: (fetch: Fetch) => noteFetch(knex, fetch, options),
		/** Processes a file without storing anything. @throws FileError, OptionsError or ServiceError */
		tryFile: (trial: Trial) => tryFile(options, trial),
		findOptions: ({ accountId, filter }: OptionScope) => findFormatOptions(options, accountId, filter),
		/** Sets options in place of those of `version`. @throws OptionsChangedError if they have another version by now */
		putOptions: (scope: OptionScope, { options: given, version, validate, alongside }: OptionsChange) =>
			putFormatOptions(options, scope, given, validate, alongside, version),
		/** Removes options of `version`. @throws OptionsChangedError if they have another version by now */
		removeOptions: (
			{ accountId, filter }: OptionScope,
			{ version, alongside }: Omit<OptionsChange, 'options' | 'validate'>,
		) => removeFormatOptions(options, accountId, filter, alongside, version),
	};
}
