// Stores records of an export under the tokens that they have there.

import type { Clock } from '../../base/clock.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { discardPages } from '../../engine/engine.ts';
import { BulkCommit } from '../../vault/cards/bulk-commit.ts';
import { type CardWriter, followKeys, openCardWriter } from '../../vault/cards/card-writer.ts';
import { fingerprintsOf } from '../../vault/cards/fingerprint.ts';
import { PageIds } from '../../vault/pages/page-ids.ts';
import type { LonePass } from '../../vault/pages/page-owner.ts';
import { type PageKind, pageKindOf } from '../../vault/pages/record-codec.ts';
import { lonePass } from '../../work/ledger/ledger.ts';
import { fieldsOf, type RecordLine } from './record-line.ts';

export class ImportWriter {
	readonly #database: Database;
	readonly #keyRing: KeyRing;
	readonly #clock: Clock;
	readonly #pass: LonePass;
	readonly #ids: PageIds;
	readonly #followed: ReturnType<typeof followKeys>;

	constructor(parts: { readonly database: Database; readonly keyRing: KeyRing; readonly clock: Clock }) {
		const { database, keyRing, clock } = parts;
		this.#database = database;
		this.#keyRing = keyRing;
		this.#clock = clock;
		this.#pass = lonePass(clock.now().getTime());
		this.#ids = new PageIds(database, { pass: this.#pass });
		this.#followed = followKeys({ database, keyRing, clock });
	}

	/** Stores records, which are durable and permanent when the promise resolves. */
	async add(candidates: readonly Candidate[]): Promise<void> {
		const writers = new Map<string, CardWriter>();
		const commit = new BulkCommit(this.#database);
		try {
			for (const each of candidates) {
				const kind = pageKindOf(each.record.kind);
				const name = `${each.ownerId}/${kind}`;
				let writer = writers.get(name);
				if (!writer) {
					writer = await this.#open(each.ownerId, kind, commit);
					await writer.reserve(candidates.length);
					writers.set(name, writer);
				}
				place(writer, each);
			}
			// All rows are inserted before any of these pages is made permanent.
			for (const writer of writers.values()) await writer.flush();
			for (const writer of writers.values()) await writer.settle();
		} finally {
			for (const writer of writers.values()) writer.wipe();
		}
	}

	/** Drops what a step that failed has left, and gives up the page ids that were not used. */
	async end(): Promise<void> {
		await discardPages(this.#database, this.#pass.id);
	}

	#open(ownerId: AccountId, kind: PageKind, commit: BulkCommit): Promise<CardWriter> {
		return openCardWriter({
			database: this.#database,
			keyRing: this.#keyRing,
			clock: this.#clock,
			now: this.#clock.now(),
			pass: this.#pass,
			ids: this.#ids,
			followed: this.#followed,
			accountId: ownerId,
			creatorId: ownerId,
			kind,
			commit,
			keepsCvv: false,
		});
	}
}

function place(writer: CardWriter, { record, creatorId, merchantIds }: Candidate): void {
	const fields = fieldsOf(record);
	writer.from({ creatorId, createdAt: record.createdAt.getTime() });
	const placement = writer.place(fields);
	if (record.findable) writer.addFingerprint(placement, fingerprintsOf(writer.fingerprintKeys, fields));
	for (const reference of new Set(record.references)) writer.addReference(placement, reference);
	for (const merchantId of new Set(merchantIds)) writer.addAssociation(placement, merchantId);
	if (record.removalAt) writer.addRemoval(placement, record.removalAt);
	fields.digits.fill(0);
	fields.spelling?.fill(0);
}

/** A record that can be stored, with the accounts that it names as they are known here. */
export interface Candidate {
	readonly line: number;
	readonly record: RecordLine;
	readonly ownerId: AccountId;
	readonly creatorId: AccountId;
	readonly merchantIds: readonly AccountId[];
}
