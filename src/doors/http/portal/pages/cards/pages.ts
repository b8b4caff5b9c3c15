import type { PortalParts } from '../../parts.ts';
import type { AnyPage } from '../../portal-page.ts';
import { cardListPages } from './card-list.ts';
import { cardPages } from './card-page.ts';
import { credentialPages } from './credentials-pages.ts';
import { destinationPages } from './destination-pages.ts';
import { partiesPage } from './parties.ts';
import { paymentPages } from './payments.ts';
import { profilePages } from './profile-pages.ts';
import { requestPages } from './requests.ts';

/** Returns the pages of cards, card requests, third parties and payments. */
export function cardsPages(parts: PortalParts): AnyPage[] {
	return [
		...cardListPages(parts),
		...cardPages(parts),
		...requestPages(parts),
		...paymentPages(parts),
		partiesPage(parts),
		...profilePages(parts),
		...destinationPages(parts),
		...credentialPages(parts),
	];
}
