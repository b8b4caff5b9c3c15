// Lists the pages of the portal.

import { confirmPage } from '../confirm.ts';
import { languagePage } from '../look/language.ts';
import { schemePage } from '../look/scheme.ts';
import type { PortalParts } from '../parts.ts';
import type { AnyPage } from '../portal-page.ts';
import { sessionPage } from '../session-page.ts';
import { accessPages } from './access/access-page.ts';
import { callPages } from './access/calls.ts';
import { cardListPages } from './cards/card-list.ts';
import { cardPages } from './cards/card-page.ts';
import { credentialPages } from './cards/credentials-pages.ts';
import { destinationPages } from './cards/destination-pages.ts';
import { partiesPage } from './cards/parties.ts';
import { paymentPages } from './cards/payments.ts';
import { profilePages } from './cards/profile-pages.ts';
import { requestPages } from './cards/requests.ts';
import { endpointPages } from './events/endpoint-pages.ts';
import { eventPages } from './events/event-pages.ts';
import { downloadPages } from './files/download-pages.ts';
import { folderPages } from './files/folder-page.ts';
import { jobPages } from './files/job-page.ts';
import { keptPages } from './files/kept-pages.ts';
import { listPages } from './files/list-page.ts';
import { optionPages } from './files/option-pages.ts';
import { removePages } from './files/remove-pages.ts';
import { tryPages } from './files/try-page.ts';
import { uploadPages } from './files/upload-pages.ts';
import { findPages } from './find/find-page.ts';
import { installationPages } from './numbers/installation-pages.ts';
import { overviewPages } from './numbers/overview.ts';
import { trailPages } from './numbers/trail-pages.ts';
import { enterPages } from './people/enter.ts';
import { mePages } from './people/me.ts';
import { peoplePages } from './people/people.ts';
import { signInPages } from './people/sign-in.ts';
import { signOnPages } from './people/sign-on.ts';
import { routeFormPages } from './routes/route-form.ts';
import { routeListPages } from './routes/route-list.ts';
import { routeDetailPages } from './routes/route-page.ts';
import { routeRunPages } from './routes/route-runs.ts';

export function portalPages(parts: PortalParts): AnyPage[] {
	return [
		languagePage,
		schemePage,
		confirmPage,
		sessionPage(parts),
		...[findPages(parts), overviewPages(parts), trailPages(parts), installationPages(parts)],
		...[listPages(parts), folderPages(parts), jobPages(parts), removePages(parts), optionPages(parts)],
		...[uploadPages(parts), keptPages(parts), downloadPages(parts), tryPages(parts)],
		...[accessPages(parts), callPages(parts)],
		...[cardListPages(parts), cardPages(parts), requestPages(parts), paymentPages(parts)],
		...[routeListPages(parts), routeDetailPages(parts), routeRunPages(parts), routeFormPages(parts)],
		...[eventPages(parts), endpointPages(parts)],
		partiesPage(parts),
		...[profilePages(parts), destinationPages(parts), credentialPages(parts)],
		...[signInPages(parts), signOnPages(parts), enterPages(parts), mePages(parts), peoplePages(parts)],
	].flat();
}
