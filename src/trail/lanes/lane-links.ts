// Signs the ends of all lanes in one chain, every second while the trail grows. A lane on its own cannot show that it was
// put back to an earlier end together with its rows; the main chain says what was there.

import type { Knex } from 'knex';
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Dialect } from '../../base/database/dialect.ts';
import { transactUnsynced } from '../../base/database/plain-transaction.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { Turns } from '../../base/threads/turns.ts';
import { laneStore, laneWriter } from './lane-store.ts';
import { MAIN_ROW } from './numbers.ts';
import { linkedEnds, nextLink } from './signed-rows.ts';

const LINK_EVERY_MS = 1_000;

/** Opens the main chain for a daemon. A link that fails is logged and tried again; the trail continues. */
export function openLaneLinks(options: {
	readonly database: { readonly knex: Knex; readonly dialect: Dialect };
	readonly keyRing: KeyRing;
	readonly logger: { warn(details: object, message: string): void };
	readonly clock?: Clock;
	readonly everyMs?: number;
}) {
	const { database, keyRing, logger, clock = systemClock, everyMs = LINK_EVERY_MS } = options;
	const { knex, dialect } = database;
	/** The ends that the last link has, as far as this daemon knows. */
	let linked = '';

	const linkNow = async (always: boolean): Promise<boolean> => {
		const heads = await laneStore(knex).listHeads();
		if (!heads.some(({ id }) => id === MAIN_ROW) || JSON.stringify(linkedEnds(heads)) === linked) return false;
		const key = await keyRing.current('audit');
		// The link becomes durable before any entry that is written after it, and it need not be sooner.
		return transactUnsynced(database, async (transaction) => {
			const writer = laneWriter(transaction, dialect);
			// Another daemon that has the lock is adding the link.
			if (!(await writer.lockMain())) return false;
			const store = laneStore(transaction);
			const heads = await store.listHeads();
			const main = heads.find(({ id }) => id === MAIN_ROW)!;
			const last = await store.findLink(main.seq);
			linked = last?.heads ?? '';
			if (JSON.stringify(linkedEnds(heads)) === linked) return false;
			const at = clock.now().getTime();
			if (!always && last && Math.abs(at - last.at) < everyMs / 2) return false;
			const next = nextLink({ heads, at }, main, key);
			await writer.insertLink(next.link);
			await writer.moveHead(next.main);
			linked = next.link.heads;
			return true;
		});
	};

	const turns = new Turns();
	/**
	 * Adds a link if a lane has grown since the last one, and the last one is a second old or `always` is true. Returns
	 * whether it did. A trail of one lane has no links.
	 */
	const link = (always = false) => turns.run(() => linkNow(always));
	const tryToLink = async (always: boolean) => {
		try {
			await link(always);
		} catch (err) {
			logger.warn({ err }, 'the ends of the lanes of the audit trail could not be signed: it is tried again');
		}
	};
	const timer = setInterval(() => void tryToLink(false), everyMs).unref();
	return {
		link,
		/** Adds a link for the last time. */
		async close(): Promise<void> {
			clearInterval(timer);
			await tryToLink(true);
		},
	};
}
