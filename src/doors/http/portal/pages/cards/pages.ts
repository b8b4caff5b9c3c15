import type { HttpRooms } from '../../../rooms.ts';
import type { AnyPage } from '../../portal-page.ts';
import { cardChangePages } from './card-changes.ts';
import { cardListPages } from './card-list.ts';
import { cardPage } from './card-page.ts';
import { credentialPages } from './credentials-pages.ts';
import { destinationPages } from './destination-pages.ts';
import { partiesPage } from './parties.ts';
import { paymentPages } from './payments.ts';
import { profilePages } from './profile-pages.ts';
import { requestPages } from './requests.ts';

/** Returns the pages of cards, card requests, third parties and payments. */
export function cardsPages(rooms: HttpRooms): AnyPage[] {
	return [
		...cardListPages(rooms),
		{ path: '/portal/cards/:token', method: 'GET', right: 'cards.see', handle: (call) => cardPage(rooms, call) },
		...cardChangePages(rooms),
		...requestPages(rooms),
		...paymentPages(rooms),
		partiesPage(rooms),
		...profilePages(rooms),
		...destinationPages(rooms),
		...credentialPages(rooms),
	];
}
