import type { Allowance, Charge } from '../../identity/allowance.ts';
import type { Payer } from '../../identity/allowance-store.ts';

/** Units taken for a call before its cost is known. Giving back returns only those that were not used. */
export class WalletBill implements Charge {
	readonly #charges: Charge[] = [];
	#used = 0;

	/** @throws ServiceError `allowance-exceeded` */
	async take(allowance: Pick<Allowance, 'charge'>, payer: Payer, units: number): Promise<void> {
		for (let unit = 0; unit < units; unit++) this.#charges.push(await allowance.charge(payer));
	}

	/** Notes a step that costs a unit, however the call ends. */
	use(): void {
		this.#used++;
	}

	async giveBack(): Promise<void> {
		await Promise.all(this.#charges.slice(this.#used).map((charge) => charge.giveBack()));
	}
}
