import type { Allowance, Charge } from '../../../people/identity/accounts/allowance.ts';
import type { Payer } from '../../../people/identity/accounts/allowance-store.ts';

/**
 * Counts the units that were taken for a call before its cost was known. The units that the call did not use can be
 * given back.
 */
export class WalletBill implements Charge {
	readonly #charges: Charge[] = [];
	#used = 0;

	/**
	 * Takes units for a call.
	 * @throws ServiceError `allowance-exceeded`
	 */
	async take(allowance: Pick<Allowance, 'charge'>, payer: Payer, units: number): Promise<void> {
		for (let unit = 0; unit < units; unit++) this.#charges.push(await allowance.charge(payer));
	}

	/** Notes that a unit was used, which is charged even if the call fails later. */
	use(): void {
		this.#used++;
	}

	async giveBack(): Promise<void> {
		await Promise.all(this.#charges.slice(this.#used).map((charge) => charge.giveBack()));
	}
}
