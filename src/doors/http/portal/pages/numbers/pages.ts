import type { PortalParts } from '../../parts.ts';
import type { AnyPage } from '../../portal-page.ts';
import { installationPages } from './installation-pages.ts';
import { overviewPages } from './overview.ts';

/** Returns the pages with figures: the overview, and the operators' pages about the installation. */
export function numbersPages(parts: PortalParts): AnyPage[] {
	return [...overviewPages(parts), ...installationPages(parts)];
}
