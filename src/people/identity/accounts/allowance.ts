// Implements the processing allowance (spec §2.1, §8): an account gets a number of units; once they are used up, the
// next call is refused and blocks the account. The primary account pays for all its sub-users.

import type { Knex } from 'knex';
import type { Clock } from '../../../base/clock.ts';
import { transact } from '../../../base/database/dialect.ts';
import { Failed, gatherByKey, shared } from '../../../base/database/gather.ts';
import type { AccountId } from '../../../base/database/ids.ts';
import type { Database } from '../../../base/database/open.ts';
import { ServiceError } from '../../../base/errors.ts';
import { type NewEvent, recordEvents } from '../../../base/outbox/record-events.ts';
import type { Audit } from '../../../trail/audit.ts';
import { accountStore } from './account-store.ts';
import { allowanceStore, type Payer, type Usage } from './allowance-store.ts';

export interface Charge {
	/**
	 * Gives back the units of a request that the service refused, because refused requests are free. It does nothing if
	 * the units were already given back.
	 */
	giveBack(): Promise<void>;
}

export type Allowance = ReturnType<typeof openAllowance>;

export function openAllowance(options: { database: Database; audit: Audit; clock: Clock }) {
	const { database, audit, clock } = options;
	const store = allowanceStore(database.knex);
	const take = openUnitTaker(store);
	const tally = openTally(store);
	/** Returns the limit and the used units of a primary account, or undefined if it has no limit. */
	const findUsage = shared((ownerId: Payer['ownerId']) => store.findUsage(ownerId));
	const hasLeft = shared(
		(payer: Payer) => store.hasLeft(payer),
		({ ownerId, accountId }) => `${ownerId}/${accountId}`,
	);

	const block = ({ ownerId }: Payer): Promise<void> =>
		transact(database, async (transaction) => {
			const now = clock.now().getTime();
			const within = allowanceStore(transaction);
			if (!(await within.blockExceeded(ownerId, now))) return;
			await recordEvents(transaction, usedUpEvents(ownerId, await within.findUsage(ownerId)), now);
			// The entry names the account by its user ID, as the entry of the command `account block` does, because
			// people search the audit trail for the user ID.
			const owner = await accountStore(transaction).findById(ownerId);
			const entry = { actor: 'daemon', action: 'account.block', subject: `account ${owner?.user_id}` };
			await audit.record({ ...entry, details: { cause: 'allowance used up' } }, transaction);
		});
	const refuse = async (payer: Payer): Promise<never> => {
		await block(payer);
		throw new ServiceError('allowance-exceeded');
	};

	return {
		/**
		 * Takes units before the work is done, so that parallel calls cannot overdraw.
		 * @throws ServiceError `allowance-exceeded`, after blocking the account if nothing was left.
		 */
		async charge(payer: Payer, units: number = 1): Promise<Charge> {
			const isTallied = payer.isUnmetered === true;
			if (isTallied) tally(payer.ownerId, units);
			else if (!(await take(payer, units))) await refuse(payer);
			let isGivenBack = false;
			return {
				async giveBack() {
					if (isGivenBack) return;
					isGivenBack = true;
					if (isTallied) tally(payer.ownerId, -units);
					else await store.add(payer.ownerId, -units);
				},
			};
		},
		/**
		 * Takes units for a batch that is running: the requested number or, if fewer are left, as many as are left. Returns
		 * how many it took. If these are fewer than requested, the account is now blocked.
		 */
		async takeUpTo(payer: Payer, units: number): Promise<number> {
			for (let wanted = units; wanted > 0; ) {
				if (await store.take(payer, wanted)) {
					if (wanted < units) await block(payer);
					return wanted;
				}
				// Meanwhile other calls may take units, or the limit may be lifted, so the number of units that are
				// left is read again.
				wanted = Math.min((await store.left(payer)) ?? units, units);
			}
			if (units > 0) await block(payer);
			return 0;
		},
		/** Throws if no unit is left, as `charge` does, but takes none. It is called before a file or batch begins. */
		async check(payer: Payer): Promise<void> {
			if (!(await hasLeft(payer))) await refuse(payer);
		},
		findUsage,
		/**
		 * Adds the units of a file to the used units of the account that pays, even beyond its allowance, because the
		 * processing of the file had already begun (shapes §11). If a transaction is given, the units are added in it.
		 */
		async count(payer: Pick<Payer, 'ownerId'>, units: number, transaction?: Knex.Transaction): Promise<void> {
			const within = transaction ? allowanceStore(transaction) : store;
			if (units > 0) await within.add(payer.ownerId, units);
		},
	};
}

/** Counted units are written to the database after this time, so the number that is displayed may be this old. */
const WRITE_AFTER_MS = 500;

/**
 * Counts units of accounts without a limit and writes them together a moment later. No call depends on these units, and
 * a commit for every call would halve the speed of storing. A daemon that is killed loses the units that it has not
 * written yet, and a power failure those that are not on the disk yet.
 */
function openTally(store: Pick<ReturnType<typeof allowanceStore>, 'add'>) {
	let units = new Map<AccountId, number>();
	let isWaiting = false;

	const write = async () => {
		isWaiting = false;
		const counted = units;
		units = new Map();
		for (const [ownerId, count] of counted) {
			// A failed write must not fail a call, so the units wait for the next write.
			await store.add(ownerId, count, 'unsynced').catch(() => tally(ownerId, count));
		}
	};
	const tally = (ownerId: AccountId, count: number): void => {
		units.set(ownerId, (units.get(ownerId) ?? 0) + count);
		if (isWaiting) return;
		isWaiting = true;
		setTimeout(() => void write(), WRITE_AFTER_MS).unref();
	};
	return tally;
}

type UnitTaker = (payer: Payer, units: number) => Promise<boolean>;

interface Call {
	readonly payer: Payer;
	readonly units: number;
}

/**
 * Returns a function that takes units for calls. Calls of one account that arrive while the row of that account is
 * being written share the next write. If each call wrote the row by itself, a busy account could make no more calls a
 * second than the database can commit changes of one row. No call waits for the row of another account.
 */
function openUnitTaker(store: Pick<ReturnType<typeof allowanceStore>, 'take'>): UnitTaker {
	const take = gatherByKey<Call, boolean>(({ payer: { ownerId, accountId } }) => `${ownerId}/${accountId}`, {
		async doAll(calls) {
			const total = calls.reduce((sum, { units }) => sum + units, 0);
			if (await store.take(calls[0].payer, total)) return calls.map(() => true);
			if (calls.length === 1) return [false];
			// There are not enough units for all calls together, so the units of each call are taken separately, in the order
			// of arrival.
			const taken: (boolean | Failed)[] = [];
			for (const { payer, units } of calls)
				taken.push(await store.take(payer, units).catch((error: unknown) => new Failed(error)));
			return taken;
		},
	});
	return (payer, units) => take({ payer, units });
}

/** An account is told once this share of its allowance is used, in per cent. */
const TOLD_AT = 80;

/**
 * Records an event for each account that has used 80 per cent of its allowance, once for each allowance. Units are taken
 * without a transaction, so a task looks for such accounts. Returns how many there are.
 */
export async function tellFullAllowances({ database, clock }: { database: Database; clock: Clock }): Promise<number> {
	const full = await allowanceStore(database.knex).listToldFrom(TOLD_AT);
	if (full.length === 0) return 0;
	const events = full.map(({ id, limit, used }): NewEvent => {
		const once = `allowance.80 ${id} ${limit}`;
		return { type: 'allowance.80', accountId: id, about: 'allowance', data: { used, limit }, once };
	});
	await transact(database, (transaction) => recordEvents(transaction, events, clock.now().getTime()));
	return full.length;
}

/** Returns the events of an account that was blocked because its allowance is used up. */
function usedUpEvents(accountId: AccountId, usage: Usage | undefined): NewEvent[] {
	const about = 'allowance';
	const { used, limit } = usage ?? { used: 0, limit: 0 };
	return [
		{ type: 'allowance.used_up', accountId, about, data: { used, limit } },
		lockedEvent(accountId, 'allowance used up'),
	];
}

export function lockedEvent(accountId: AccountId, cause: string): NewEvent {
	return { type: 'account.locked', accountId, about: 'allowance', data: { cause } };
}
