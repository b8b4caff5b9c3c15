import type { HttpRooms } from '../../../rooms.ts';
import type { AnyPage } from '../../portal-page.ts';
import { overviewPages } from './overview.ts';

/** Returns the pages of numbers: the overview. `paths` grows with all pages of the portal. */
export function numbersPages(_rooms: HttpRooms, paths: ReadonlySet<string>): AnyPage[] {
	return overviewPages(paths);
}
