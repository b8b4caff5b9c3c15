// Goes through the lines of an export once, and judges each record. A run that stores does so some lines at a time: what it
// has taken is durable, and stays if the process is killed.

import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../base/database/open.ts';
import { ServiceError } from '../../base/errors.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { ImportAccounts } from './import-accounts.ts';
import { type Candidate, ImportWriter } from './import-writer.ts';
import type { NumberedLine, Place } from './message-lines.ts';
import { PresentRecords } from './present-records.ts';
import { type FirstLine, LAYOUT, type RecordLine, readLine } from './record-line.ts';

/** Why a record is not stored. No text quotes the record. */
export interface LineProblem {
	readonly line: number;
	readonly token?: string;
	readonly problem: string;
}

interface Counts {
	stored: number;
	present: number;
}

export class ImportRun {
	readonly #accounts: ImportAccounts;
	readonly #environment: string;
	readonly #writer: ImportWriter | undefined;
	readonly #presence: PresentRecords;
	readonly #byAccount = new Map<string, Counts>();
	#first: FirstLine | undefined;
	#isOver = false;
	#last: Place = { line: 0, offset: 0 };
	#records = 0;
	problems = 0;
	/** The records that were stored, which are durable. */
	stored = 0;
	/** The records that were here already. */
	present = 0;

	constructor(
		parts: {
			readonly database: Database;
			readonly keyRing: KeyRing;
			readonly clock: Clock;
			readonly accounts: ImportAccounts;
		},
		{ environment, stores }: { readonly environment: string; readonly stores: boolean },
	) {
		this.#accounts = parts.accounts;
		this.#environment = environment;
		this.#presence = new PresentRecords(parts);
		this.#writer = stores ? new ImportWriter(parts) : undefined;
	}

	countsOf(userId: string): Counts | undefined {
		return this.#byAccount.get(userId);
	}

	/**
	 * Reads and checks lines of an export, and stores their records unless this run only checks. Returns what is wrong with them.
	 * @throws ServiceError if the lines are those of no export, or of one that cannot be imported here
	 */
	async take(lines: readonly NumberedLine[]): Promise<readonly LineProblem[]> {
		const problems: LineProblem[] = [];
		const records: { readonly line: number; readonly record: RecordLine }[] = [];
		for (const { line, offset, text } of lines) {
			const place = { line, offset };
			this.#last = place;
			if (this.#isOver) throw malformed('there is more behind the last line of the export', place);
			const read = readLine(text);
			if ('first' in read) await this.#begin(read.first, place);
			else if (!this.#first) throw malformed('it does not begin as an export of a vault does', place);
			else if ('records' in read) this.#finish(read.records, place);
			else {
				this.#records += 1;
				if ('record' in read) records.push({ line, record: read.record });
				else problems.push({ line, problem: read.problem });
			}
		}
		const candidates = await this.#knownHere(records, problems);
		await this.#take(candidates, problems);
		this.problems += problems.length;
		return problems.toSorted((one, other) => one.line - other.line);
	}

	/** Ends a run over a whole file. @throws ServiceError if its last line is missing */
	end(): { readonly first: FirstLine; readonly records: number; readonly problems: number } {
		if (!this.#first || !this.#isOver) {
			throw malformed(
				'its last line is missing, so it was cut off when it was written: have it written again',
				this.#last,
			);
		}
		return { first: this.#first, records: this.#records, problems: this.problems };
	}

	async close(): Promise<void> {
		this.#presence.wipe();
		await this.#writer?.end();
	}

	async #begin(first: FirstLine, at: Place): Promise<void> {
		if (this.#first) throw malformed('a second export begins in the middle', at);
		if (first.layout > LAYOUT) {
			throw malformed(`it is of layout ${first.layout}, which a later version wrote: import it with that version`, at);
		}
		if (first.environment !== this.#environment) {
			throw malformed(
				`it is of the ${first.environment}, and this is the ${this.#environment}: no token is valid in both`,
				at,
			);
		}
		const accounts = this.#accounts;
		await accounts.load(first.accounts);
		const missing = first.accounts.filter((userId) => accounts.findOwner(userId) === undefined);
		if (missing.length > 0) {
			const names = missing.map((userId) => accounts.nameHere(userId)).join(', ');
			throw malformed(
				`there is no primary account ${names} here: make it with account create, or say with --rename which one it is`,
				at,
			);
		}
		this.#first = first;
	}

	#finish(records: number, at: Place): void {
		if (records !== this.#records) throw malformed(`it has ${this.#records} records, and its end says ${records}`, at);
		this.#isOver = true;
	}

	async #knownHere(
		records: readonly { readonly line: number; readonly record: RecordLine }[],
		problems: LineProblem[],
	): Promise<Candidate[]> {
		const accounts = this.#accounts;
		await accounts.load(
			new Set(
				records.flatMap(({ record: { account, user = account, merchants = [] } }) => [account, user, ...merchants]),
			),
		);
		const candidates: Candidate[] = [];
		for (const { line, record } of records) {
			const { token, account, user = account, merchants = [] } = record;
			const ownerId = this.#first!.accounts.includes(account) ? accounts.findOwner(account) : undefined;
			const creatorId = ownerId && accounts.findUser(user, ownerId);
			const absent = merchants.find((merchant) => accounts.findOwner(merchant) === undefined);
			let problem: string | undefined;
			if (ownerId === undefined) problem = 'the first line does not name its account';
			else if (absent !== undefined)
				problem = `the account ${accounts.nameHere(absent)}, which may use it, is not here`;
			if (problem !== undefined) problems.push({ line, token, problem });
			else {
				const merchantIds = merchants.map((merchant) => accounts.findOwner(merchant)!);
				// A user who is not here has left no trace but the name, so the record counts as stored by the account itself.
				candidates.push({ line, record, ownerId: ownerId!, creatorId: creatorId ?? ownerId!, merchantIds });
			}
		}
		return candidates;
	}

	async #take(candidates: readonly Candidate[], problems: LineProblem[]): Promise<void> {
		const isNew = new Set<string>();
		const wanted: Candidate[] = [];
		for (const [nth, state] of (await this.#presence.ask(candidates)).entries()) {
			const each = candidates[nth];
			const { token } = each.record;
			if (state === 'new' && !isNew.has(token)) {
				isNew.add(token);
				wanted.push(each);
			} else if (state === 'same') this.#count(each, 'present');
			else problems.push({ line: each.line, token, problem: state === 'new' ? 'the file has its token twice' : state });
		}
		if (!this.#writer || wanted.length === 0) return;
		await this.#writer.add(wanted);
		for (const each of wanted) this.#count(each, 'stored');
	}

	#count({ record: { account } }: Candidate, what: keyof Counts): void {
		const userId = this.#accounts.nameHere(account);
		const counts = this.#byAccount.get(userId) ?? { stored: 0, present: 0 };
		this.#byAccount.set(userId, counts);
		counts[what] += 1;
		this[what] += 1;
	}
}

function malformed(moreInfo: string, at: Place): ServiceError {
	return new ServiceError('file-malformed', { moreInfo, at });
}
