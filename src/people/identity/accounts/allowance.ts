// Implements the processing allowance (spec §2.1, §8): an account gets a number of units; once they are used up, the
// next call is refused and blocks the account. The primary account pays for all its sub-users.

import type { Knex } from 'knex';
import type { Clock } from '../../../base/clock.ts';
import { transact } from '../../../base/database/dialect.ts';
import { shared } from '../../../base/database/gather.ts';
import type { Database } from '../../../base/database/open.ts';
import { ServiceError } from '../../../base/errors.ts';
import { recordEvents } from '../../../base/outbox/record-events.ts';
import type { Audit } from '../../../trail/audit.ts';
import { accountStore } from './account-store.ts';
import { usedUpEvents } from './allowance-events.ts';
import { allowanceStore, type Payer, type Usage } from './allowance-store.ts';
import { openTally } from './tally.ts';
import { openUnitTaker } from './unit-taker.ts';

export interface Charge {
	/**
	 * Gives back the units of a request that the service refused, because refused requests are free. It does nothing if
	 * the units were already given back.
	 */
	giveBack(): Promise<void>;
}

export interface Allowance {
	/**
	 * Takes units before the work is done, so that parallel calls cannot overdraw.
	 * @throws ServiceError `allowance-exceeded`, after blocking the account if nothing was left.
	 */
	charge(payer: Payer, units?: number): Promise<Charge>;
	/**
	 * Takes units for a batch that is running: the requested number or, if fewer are left, as many as are left. Returns
	 * how many it took. If these are fewer than requested, the account is now blocked.
	 */
	takeUpTo(payer: Payer, units: number): Promise<number>;
	/** Throws if no unit is left, as `charge` does, but takes none. It is called before a file or batch begins. */
	check(payer: Payer): Promise<void>;
	/** Returns the limit and the used units of a primary account, or undefined if it has no limit. */
	findUsage(ownerId: Payer['ownerId']): Promise<Usage | undefined>;
	/**
	 * Adds the units of a file to the used units of the account that pays, even beyond its allowance, because the
	 * processing of the file had already begun (shapes §11). If a transaction is given, the units are added in it.
	 */
	count(payer: Pick<Payer, 'ownerId'>, units: number, transaction?: Knex.Transaction): Promise<void>;
}

export function openAllowance(options: { database: Database; audit: Audit; clock: Clock }): Allowance {
	const { database, audit, clock } = options;
	const store = allowanceStore(database.knex);
	const take = openUnitTaker(store);
	const tally = openTally(store);
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
		async charge(payer, units = 1) {
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
		async takeUpTo(payer, units) {
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
		async check(payer) {
			if (!(await hasLeft(payer))) await refuse(payer);
		},
		findUsage,
		async count(payer, units, transaction) {
			const within = transaction ? allowanceStore(transaction) : store;
			if (units > 0) await within.add(payer.ownerId, units);
		},
	};
}
