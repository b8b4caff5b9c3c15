// Notes outside the database how far the trail has come, in an append-only file, and also in a sealed row of the
// database. A person who can only write the database cannot make the file match; one who can write both has no key for
// the seals.

import type { Knex } from 'knex';
import { type Clock, systemClock } from '../../base/clock.ts';
import { type Dialect, transact } from '../../base/database/dialect.ts';
import { appendDurably } from '../../base/durable-files.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { Logger } from '../../base/log/log.ts';
import { Turns } from '../../base/threads/turns.ts';
import { auditStore } from '../audit-store.ts';
import { laneStore } from '../lanes/lane-store.ts';
import { MAIN_ROW } from '../lanes/numbers.ts';
import { noteStore } from '../note-store.ts';
import { hashOfLine, writeHeadLine } from './head-line.ts';

const LOOK_EVERY_MS = 5_000;

/** Opens the book over a trail and notes its head. A note that fails is logged and tried again; the trail continues. */
export async function openHeadBook(options: {
	readonly database: { readonly knex: Knex; readonly dialect: Dialect };
	readonly keyRing: KeyRing;
	/** The path of the file of heads, which several daemons may share. */
	readonly headFile: string;
	/**
	 * A line is written when there are `headEntries` new entries, or when there is any new entry and the last line is
	 * `headSeconds` seconds old.
	 */
	readonly headEntries: number;
	readonly headSeconds: number;
	readonly logger: Pick<Logger, 'error'>;
	readonly clock?: Clock;
}) {
	const { database, keyRing, headFile, headEntries, headSeconds, logger, clock = systemClock } = options;
	const { knex, dialect } = database;

	const noteNow = async (): Promise<boolean> => {
		// The key is read before the transaction begins, because inside the transaction the database may only be used
		// through it.
		const sealer = await keyRing.topSealer();
		return transact(database, async (transaction) => {
			const store = noteStore(transaction);
			const last = await store.lock(dialect);
			const head = await auditStore(transaction).findHead();
			if (!last || !head || head.seq === last.seq) return false;
			const main = (await laneStore(transaction).listHeads()).find(({ id }) => id === MAIN_ROW);
			const link = main && ([main.seq, main.hash] as [number, string]);
			const { seq, hash, key_id: auditKey } = head;
			const at = clock.now();
			const previous = hashOfLine(last.line);
			const line = writeHeadLine(
				{ at: at.toISOString(), entries: seq, hash, auditKey, previous, ...(link && { link }) },
				sealer,
			);
			// The line is written to the file before it is noted in the database. If only the second step fails, the file has
			// a line too many, which does no harm. A line that the database names and the file lacks would look like
			// tampering.
			await appendDurably(headFile, [line], 0o600);
			await store.move({ at: at.getTime(), seq, line });
			return true;
		});
	};
	const isDue = async (): Promise<boolean> => {
		const last = await noteStore(knex).find();
		const head = await auditStore(knex).findHead();
		const grown = (head?.seq ?? 0) - (last?.seq ?? 0);
		if (grown === 0) return false;
		return Math.abs(grown) >= headEntries || clock.now().getTime() - (last?.at ?? 0) >= headSeconds * 1000;
	};

	const turns = new Turns();
	const note = (always = false): Promise<boolean> => turns.run(async () => (always || (await isDue())) && noteNow());
	const tryToNote = async (always: boolean) => {
		try {
			await note(always);
		} catch (err) {
			logger.error({ err, headFile }, 'the head of the audit trail could not be noted outside the database');
		}
	};
	await tryToNote(true);
	const timer = setInterval(() => void tryToNote(false), Math.min(LOOK_EVERY_MS, headSeconds * 1000)).unref();
	return {
		/**
		 * Writes a note about the head if the trail has grown enough since the last note, or has grown at all and `always` is
		 * true. Returns whether it did.
		 * @throws if the note cannot be written
		 */
		note,
		/** Notes the head for the last time. */
		async close(): Promise<void> {
			clearInterval(timer);
			await tryToNote(true);
		},
	};
}
