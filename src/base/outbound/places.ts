import type { AccountId } from '../database/ids.ts';
import { ServiceError } from '../errors.ts';

export interface PlaceLimits {
	readonly maxInFlight: number;
	/** The number of slots that one account may use; if it is absent, an account may take every slot. */
	readonly maxInFlightPerAccount?: number;
	/** The text of the error for an account that has used up its share. */
	readonly shareTaken?: string;
}

const SHARE_TAKEN = 'relay.maxInFlightPerAccount: the account has as many calls under way as it may';

/**
 * Hands out slots for calls in progress. An account whose targets hang uses up its own share and leaves the rest to
 * others.
 */
export class Places {
	readonly #limits: PlaceLimits;
	readonly #byAccount = new Map<AccountId, number>();
	#taken = 0;

	constructor(limits: PlaceLimits) {
		this.#limits = limits;
	}

	get taken(): number {
		return this.#taken;
	}

	/**
	 * Takes a slot.
	 * @throws ServiceError `too-many-calls`, `too-many-calls-of-account`; nothing is taken then
	 */
	take(account: AccountId | undefined): void {
		const { maxInFlight, maxInFlightPerAccount = maxInFlight } = this.#limits;
		if (this.#taken >= maxInFlight) throw new ServiceError('too-many-calls');
		if (account !== undefined) {
			const own = this.#byAccount.get(account) ?? 0;
			if (own >= maxInFlightPerAccount) {
				throw new ServiceError('too-many-calls-of-account', { moreInfo: this.#limits.shareTaken ?? SHARE_TAKEN });
			}
			this.#byAccount.set(account, own + 1);
		}
		this.#taken++;
	}

	give(account: AccountId | undefined): void {
		this.#taken--;
		if (account === undefined) return;
		const own = this.#byAccount.get(account)! - 1;
		if (own === 0) this.#byAccount.delete(account);
		else this.#byAccount.set(account, own);
	}
}
