import type { HttpRooms } from '../../../rooms.ts';
import type { AnyPage } from '../../portal-page.ts';
import { changePages } from './change-pages.ts';
import { downloadPages } from './download-pages.ts';
import { folderPages } from './folder-page.ts';
import { foldersPages } from './folders-pages.ts';
import { jobPage } from './job-page.ts';
import { listPage } from './list-page.ts';
import { tryPages } from './try-page.ts';
import { uploadPages } from './upload-pages.ts';

/** Returns the pages of files. */
export function filesPages(rooms: HttpRooms): AnyPage[] {
	return [
		listPage(rooms),
		...folderPages(rooms),
		jobPage(rooms),
		...uploadPages(rooms),
		...downloadPages(rooms),
		...changePages(rooms),
		...tryPages(rooms),
		...foldersPages(rooms),
	];
}
