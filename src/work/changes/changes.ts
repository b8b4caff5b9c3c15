// Notices, for the pages that people look at, that something of their account has changed. A change may happen in any
// daemon, so each daemon looks in the database: once a second, at one short mark for each account whose pages are open.

import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../base/database/open.ts';
import { ALL_ACCOUNTS } from '../statistics/statistics-store.ts';
import { type ChangeKind, type ChangeOwner, changeStore } from './change-store.ts';

export { CHANGE_KINDS, type ChangeKind, type ChangeOwner } from './change-store.ts';

/** The owner of what is counted for all accounts together. */
export const EVERYBODY: ChangeOwner = ALL_ACCOUNTS;

/** What somebody watches: whose things of each kind. Kinds that are not named are not watched. */
export type Watched = Readonly<Partial<Record<ChangeKind, ChangeOwner>>>;

const EVERY_MS = 1_000;
/** A look that takes long is followed by a pause of so many times its length, so that looking takes 5 % of the time at most. */
const PAUSE = 19;
const OWNERS_AT_ONCE = 500;

interface Watcher {
	readonly watched: readonly (readonly [ChangeKind, ChangeOwner])[];
	readonly seen: Map<ChangeKind, string>;
	readonly onChange: (kinds: readonly ChangeKind[]) => void;
}

export type Changes = ReturnType<typeof openChanges>;

/** Opens the watch. It looks only while somebody watches, so it need not be closed. */
export function openChanges(parts: {
	readonly database: Pick<Database, 'knex'>;
	readonly clock: Clock;
	readonly logger: { warn(details: object, message: string): void };
	/** The time between two looks; a second unless given. */
	readonly everyMs?: number;
}) {
	const { database, clock, logger, everyMs = EVERY_MS } = parts;
	const store = changeStore(database.knex);
	const watchers = new Set<Watcher>();
	let timer: NodeJS.Timeout | undefined;
	let looking: Promise<void> | undefined;

	/** Reads the marks of all that is watched, each once, however many watch it. */
	const readMarks = async () => {
		const wanted = new Map<ChangeKind, Set<ChangeOwner>>();
		for (const { watched } of watchers)
			for (const [kind, owner] of watched) wanted.set(kind, (wanted.get(kind) ?? new Set()).add(owner));
		const marks = new Map<string, string>();
		for (const [kind, owners] of wanted) {
			const all = [...owners];
			for (let from = 0; from < all.length; from += OWNERS_AT_ONCE) {
				const some = all.slice(from, from + OWNERS_AT_ONCE);
				for (const [owner, mark] of await store.marks(kind, some, clock.now().getTime()))
					marks.set(`${kind} ${owner}`, mark);
			}
		}
		return marks;
	};
	const look = async () => {
		const marks = await readMarks();
		for (const { watched, seen, onChange } of [...watchers]) {
			const changed: ChangeKind[] = [];
			for (const [kind, owner] of watched) {
				const mark = marks.get(`${kind} ${owner}`);
				if (mark === undefined || mark === seen.get(kind)) continue;
				seen.set(kind, mark);
				changed.push(kind);
			}
			if (changed.length > 0) onChange(changed);
		}
	};
	const lookLater = (afterMs: number) => {
		timer = setTimeout(() => {
			timer = undefined;
			const startedAt = performance.now();
			looking = look()
				.catch((err) => logger.warn({ err }, 'did not look for changes that open pages show'))
				.then(() => {
					looking = undefined;
					if (watchers.size > 0) lookLater(Math.max(everyMs, PAUSE * (performance.now() - startedAt)));
				});
		}, afterMs);
		timer.unref();
	};

	return {
		/**
		 * Calls `onChange` with the kinds that have changed, until the returned function is called. The first call names all kinds,
		 * because nobody knows how old the page is that is watched.
		 */
		watch(watched: Watched, onChange: (kinds: readonly ChangeKind[]) => void): () => void {
			const pairs = Object.entries(watched) as [ChangeKind, ChangeOwner][];
			const watcher: Watcher = { watched: pairs, seen: new Map(), onChange };
			watchers.add(watcher);
			if (timer === undefined && looking === undefined) lookLater(0);
			return () => {
				watchers.delete(watcher);
				if (watchers.size > 0) return;
				clearTimeout(timer);
				timer = undefined;
			};
		},
		/** Waits until nothing is asked of the database any more. Nobody may watch by then. */
		async settle(): Promise<void> {
			await looking;
		},
	};
}
