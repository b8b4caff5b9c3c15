import type { ChangedBy } from './change.ts';
import type { Vault } from './vault.ts';

const PER_STEP = 1000;
const BY: ChangedBy = { actor: 'daemon', action: 'card.delete' };

/** Destroys every expired CVV, together with its card if the policy says so (spec §2.4). */
export async function purgeCvvs(vault: Vault): Promise<{ cvvs: number; cards: number }> {
	const total = { cvvs: 0, cards: 0 };
	for (;;) {
		const { destroyed, withCard } = await vault.cvvs.destroyEnded(PER_STEP);
		if (destroyed === 0) return total;
		total.cvvs += destroyed;
		for (const place of withCard) {
			if (await vault.removeWithCvv(place.page, place.slot, BY)) total.cards++;
			await vault.cvvs.forget(place);
		}
	}
}
