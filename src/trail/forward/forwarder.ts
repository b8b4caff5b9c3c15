// Sends the trail to another system as it grows, so that a person who gets control of the database or this machine
// cannot erase what has happened. Every entry arrives at least once, in order; daemons take turns.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../base/database/open.ts';
import type { FailureLog } from '../../base/log/repeated.ts';
import { Turns } from '../../base/threads/turns.ts';
import { auditStore } from '../audit-store.ts';
import { type ExportedEntry, exportedForm } from '../checks/exported-form.ts';
import { findSettled } from '../lanes/settled.ts';
import { forwardStore } from './forward-store.ts';

const BATCH_ENTRIES = 500;
const LOOK_EVERY_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
/** A target that needs more time than this for a batch of entries has failed to receive it. */
export const SEND_TIMEOUT_MS = 20_000;
/** If a daemon dies during its turn, the others wait this long. */
const LEASE_MS = SEND_TIMEOUT_MS + 10_000;

export type Forwarder = Awaited<ReturnType<typeof openForwarder>>;

/**
 * Opens the forwarder, which follows the trail until it is closed. A failure is logged, and sending is attempted again
 * after a pause that grows to a minute.
 */
export async function openForwarder(
	options: { readonly database: Database; readonly clock: Clock; readonly logger: FailureLog },
	target: TrailTarget,
	daemonId: string,
	lookEveryMs = LOOK_EVERY_MS,
) {
	const { database, clock, logger } = options;
	const { knex } = database;
	const store = forwardStore(knex, `${target.kind} ${target.address}`);
	const trail = auditStore(knex);
	await store.ensure();

	const forwardNow = async (): Promise<number> => {
		const known = await store.find();
		// Whether there are new entries is checked before the daemon takes its turn. Taking a turn writes to the database,
		// which an idle installation should not do.
		if (!known || (await findSettled(database)) <= known.seq) return 0;
		const now = clock.now().getTime();
		if (!(await store.lease(daemonId, now, now + LEASE_MS))) return 0;
		const { seq } = (await store.find())!;
		const settled = await findSettled(database);
		const rows = (await trail.listAfter(seq, BATCH_ENTRIES)).filter((row) => row.seq <= settled);
		try {
			if (rows.length > 0) await target.send(rows.map(exportedForm));
		} catch (error) {
			await store.settle(daemonId, seq);
			throw error;
		}
		await store.settle(daemonId, rows.at(-1)?.seq ?? seq);
		return rows.length;
	};

	const turns = new Turns();
	/**
	 * Sends one batch after the other. The turn in the database keeps only other daemons from sending; this function makes
	 * sure that this daemon does not send two batches at once.
	 */
	const forward = () => turns.run(forwardNow);

	const ended = new AbortController();
	const follow = async () => {
		let pause = lookEveryMs;
		while (!ended.signal.aborted) {
			try {
				const isMore = (await forward()) === BATCH_ENTRIES;
				pause = isMore ? 0 : lookEveryMs;
			} catch (err) {
				pause = Math.min(Math.max(pause, LOOK_EVERY_MS) * 2, LONGEST_PAUSE_MS);
				logger.warn({ err, target: target.kind }, 'the audit trail could not be sent on: it is tried again');
			}
			await sleep(pause, undefined, { signal: ended.signal, ref: false }).catch(() => {});
		}
	};
	const following = follow();
	return {
		target,
		/**
		 * Sends the next batch of entries that the target has not yet received, and returns how many there were.
		 * @throws the error of the target
		 */
		forward,
		async countBehind(): Promise<number> {
			return trail.countBetween((await store.find())?.seq ?? 0, await trail.findLastSeq());
		},
		/** Stops the forwarder, after trying once to send the remaining entries. */
		async close(): Promise<void> {
			ended.abort();
			await following;
			await forward().catch(() => {});
		},
	};
}

/** The port to a system that receives the trail as it grows. */
export interface TrailTarget {
	readonly kind: 'syslog' | 'webhook';
	/** The address of the system, without anything secret. A new address gets the whole trail. */
	readonly address: string;
	/**
	 * Sends entries, and resolves when the target has all of them. After a failure they have to be sent again.
	 * @throws the reason for a failure
	 */
	send(entries: readonly ExportedEntry[]): Promise<void>;
}
