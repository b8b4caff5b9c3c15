import type { HttpRooms } from '../../../rooms.ts';
import type { AnyPage } from '../../portal-page.ts';

/** Returns the pages of files. */
export function filesPages(_rooms: HttpRooms): AnyPage[] {
	return [];
}
