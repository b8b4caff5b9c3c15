import type { PortalParts } from '../../parts.ts';
import type { AnyPage } from '../../portal-page.ts';
import { downloadPages } from './download-pages.ts';
import { folderPages } from './folder-page.ts';
import { jobPages } from './job-page.ts';
import { listPages } from './list-page.ts';
import { optionPages } from './option-pages.ts';
import { removePages } from './remove-pages.ts';
import { tryPages } from './try-page.ts';
import { uploadPages } from './upload-pages.ts';

/** Returns the pages of files. */
export function filesPages(parts: PortalParts): AnyPage[] {
	return [
		...listPages(parts),
		...folderPages(parts),
		...jobPages(parts),
		...uploadPages(parts),
		...downloadPages(parts),
		...removePages(parts),
		...tryPages(parts),
		...optionPages(parts),
	];
}
