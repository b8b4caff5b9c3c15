import type { HttpRooms } from '../../../rooms.ts';
import type { AnyPage } from '../../portal-page.ts';
import { enterPages } from './enter.ts';
import { mePages } from './me.ts';
import { myFactorPages } from './my-factors.ts';
import { peoplePages } from './people.ts';
import { signInPages } from './sign-in.ts';

/** Returns the pages on which people sign in, set up their own access, and manage that of others. */
export function peopleRoomPages({ portal, mails, logger }: Pick<HttpRooms, 'portal' | 'mails' | 'logger'>): AnyPage[] {
	if (!portal) return [];
	const rooms = { portal, mails, logger };
	return [
		...signInPages(rooms),
		...enterPages(rooms),
		...mePages(rooms),
		...myFactorPages(rooms),
		...peoplePages(rooms),
	];
}
