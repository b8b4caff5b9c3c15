import type { ChangedBy } from '../change.ts';
import { DamagedPageError } from '../pages/page-row.ts';
import type { Vault } from '../vault.ts';
import type { EndedCvvs } from './ended-cvvs.ts';

const PER_STEP = 1000;
const BY: ChangedBy = { actor: 'daemon', action: 'card.delete' };
const MOST_NAMED = 10;

/** This error is thrown after a whole run of retention, if cards had to stay because their pages are damaged. */
export class DamagedPagesError extends Error {
	override readonly name = 'DamagedPagesError';
	readonly pages: readonly number[];
	constructor(pages: readonly number[], deleted: { readonly cvvs: number; readonly cards: number }) {
		const more = pages.length > MOST_NAMED ? ` and ${pages.length - MOST_NAMED} more` : '';
		super(
			`cards whose time is over could not be deleted, because their pages are damaged and no key opens them: pages ` +
				`${pages.slice(0, MOST_NAMED).join(', ')}${more}; the rest is done: ${deleted.cvvs} CVVs, ${deleted.cards} cards`,
		);
		this.pages = pages;
	}
}

/**
 * Destroys every expired CVV, together with its card if the policy says so (spec §2.4). A card on a damaged page has to
 * stay, because nothing can be taken out of a page that does not open. Its CVV is destroyed nevertheless, and the next run
 * tries again.
 * @throws DamagedPagesError after everything else is done
 */
export async function purgeCvvs(
	vault: Pick<Vault, 'cvvs' | 'removeWithCvv'>,
	perStep = PER_STEP,
): Promise<{ cvvs: number; cards: number }> {
	const total = { cvvs: 0, cards: 0 };
	const damaged = new Set<number>();
	let after: EndedCvvs['reached'];
	for (;;) {
		const { destroyed, withCard, reached } = await vault.cvvs.destroyEnded(perStep, after);
		total.cvvs += destroyed;
		for (const place of withCard) {
			if (damaged.has(place.page)) continue;
			try {
				if (await vault.removeWithCvv(place.page, place.slot, BY)) total.cards++;
				await vault.cvvs.forget(place);
			} catch (error) {
				if (!(error instanceof DamagedPageError)) throw error;
				damaged.add(place.page);
			}
		}
		if (reached === undefined) break;
		after = reached;
	}
	if (damaged.size > 0) throw new DamagedPagesError([...damaged], total);
	return total;
}
