// The processing allowance (spec §2.1, §8): N units pass, the next call is refused and blocks the account. Paid by the
// primary account, whoever of its people calls.

import type { Knex } from 'knex';
import type { Audit } from '../audit/audit.ts';
import type { Clock } from '../clock.ts';
import { transact } from '../database/dialect.ts';
import type { Database } from '../database/open.ts';
import { ServiceError } from '../errors.ts';
import { accountStore } from './account-store.ts';
import { allowanceStore, type Payer, type Usage } from './allowance-store.ts';
import { openTally } from './tally.ts';
import { openUnitTaker } from './unit-taker.ts';

export interface Charge {
	/** Gives the units back, for a call that ends in a 4xx answer: those cost nothing. A second call does nothing. */
	giveBack(): Promise<void>;
}

export interface Allowance {
	/**
	 * Takes units before the work is done, so that calls in parallel cannot overdraw.
	 * @throws ServiceError `allowance-exceeded`, having blocked the account when nothing was left.
	 */
	charge(payer: Payer, units?: number): Promise<Charge>;
	/**
	 * Takes as many of the units as are left, for a batch as it goes; says how many. Fewer than asked for: the account is
	 * blocked by now.
	 */
	takeUpTo(payer: Payer, units: number): Promise<number>;
	/** Before a file or batch begins: refuses as `charge` does, takes nothing. */
	check(payer: Payer): Promise<void>;
	/** Of an owner that has a limit. */
	findUsage(ownerId: Payer['ownerId']): Promise<Usage | undefined>;
	/**
	 * Counts what a file that had begun has used, also beyond the allowance (shapes §11); within a transaction it stands or
	 * falls with it.
	 */
	count(payer: Pick<Payer, 'ownerId'>, units: number, transaction?: Knex.Transaction): Promise<void>;
}

export function openAllowance(options: { database: Database; audit: Audit; clock: Clock }): Allowance {
	const { database, audit, clock } = options;
	const store = allowanceStore(database.knex);
	const take = openUnitTaker(store);
	const tally = openTally(store);

	const block = ({ ownerId }: Payer): Promise<void> =>
		transact(database, async (transaction) => {
			if (!(await allowanceStore(transaction).blockExceeded(ownerId, clock.now().getTime()))) return;
			// As `account block` calls it: whoever looks for what became of an account looks for its user ID.
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
				// Others take units meanwhile, and a limit may be lifted.
				wanted = Math.min((await store.left(payer)) ?? units, units);
			}
			if (units > 0) await block(payer);
			return 0;
		},
		async check(payer) {
			if (!(await store.hasLeft(payer))) await refuse(payer);
		},
		findUsage: (ownerId) => store.findUsage(ownerId),
		async count(payer, units, transaction) {
			const within = transaction ? allowanceStore(transaction) : store;
			if (units > 0) await within.add(payer.ownerId, units);
		},
	};
}
