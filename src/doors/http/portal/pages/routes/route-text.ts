// Writes the document of a stored route as its author would, for the editor and for those who only look.

import { plainYaml } from '../../../../../work/relay/profiles/profile-yaml.ts';
import { routeDocument } from '../../../../../work/routes/document/route-document.ts';
import type { StoredRoute } from '../../../../../work/routes/routes.ts';

export function routeYaml({ route, row }: StoredRoute): string {
	return plainYaml({ ...routeDocument(route), paused: Boolean(row.paused) });
}
