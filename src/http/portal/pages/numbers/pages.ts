import type { HttpRooms } from '../../../rooms.ts';
import type { AnyPage } from '../../portal-page.ts';
import { installationPages } from './installation-pages.ts';
import { overviewPages } from './overview.ts';

/** Returns the pages of numbers: the overview, and what operators see of the installation. */
export function numbersPages(rooms: HttpRooms): AnyPage[] {
	return [...overviewPages(rooms), ...installationPages(rooms)];
}
