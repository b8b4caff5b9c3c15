// Lists the sections of the portal, in the order of its navigation.

import type { Right } from '../../../people/portal-users/rights.ts';
import type { Viewer } from '../../../people/portal-users/viewer.ts';

interface SectionRow {
	readonly path: `/portal${string}`;
	readonly right: Right | 'signed-in';
}

export const SECTIONS = {
	overview: { path: '/portal', right: 'overview.see' },
	files: { path: '/portal/files', right: 'files.see' },
	try: { path: '/portal/try', right: 'files.see' },
	folders: { path: '/portal/folders', right: 'folders.see' },
	cards: { path: '/portal/cards', right: 'cards.see' },
	requests: { path: '/portal/requests', right: 'requests.see' },
	routes: { path: '/portal/routes', right: 'routes.see' },
	events: { path: '/portal/events', right: 'events.change' },
	parties: { path: '/portal/parties', right: 'parties.see' },
	payments: { path: '/portal/payments', right: 'payments.see' },
	access: { path: '/portal/access', right: 'access.see' },
	people: { path: '/portal/people', right: 'people.see' },
	trail: { path: '/portal/trail', right: 'trail.see' },
	installation: { path: '/portal/installation', right: 'installation.see' },
	me: { path: '/portal/me', right: 'signed-in' },
} as const satisfies Record<string, SectionRow>;

export type Section = keyof typeof SECTIONS;

/** Returns the sections that a viewer may open and whose page exists in this installation. */
export function sectionsOf(viewer: Viewer, paths: ReadonlySet<string>): readonly Section[] {
	return (Object.keys(SECTIONS) as Section[]).filter((section) => {
		const { path, right }: SectionRow = SECTIONS[section];
		return paths.has(path) && (right === 'signed-in' || viewer.has(right));
	});
}
