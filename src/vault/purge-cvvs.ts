import type { Vault } from './vault.ts';

const PER_STEP = 1000;

/** Destroys every CVV whose time has come, with its card where the policy says so (spec §2.4). */
export async function purgeCvvs(vault: Vault): Promise<{ cvvs: number; cards: number }> {
	const total = { cvvs: 0, cards: 0 };
	for (;;) {
		const { destroyed, withCard } = await vault.cvvs.destroyEnded(PER_STEP);
		total.cvvs += destroyed;
		for (const place of withCard) if (await vault.removeAt(place.page, place.slot)) total.cards++;
		if (destroyed < PER_STEP) return total;
	}
}
