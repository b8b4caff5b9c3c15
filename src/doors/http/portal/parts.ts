// The parts of the house that pages ask. Each page names the few that it needs.

import type { Clock } from '../../../base/clock.ts';
import type { Database } from '../../../base/database/open.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import type { Logger } from '../../../base/log/log.ts';
import type { MailQueue } from '../../../base/mail/mail-queue.ts';
import type { OutboundClient } from '../../../base/outbound/http-client.ts';
import type { TransferEngine } from '../../../engine/engine.ts';
import type { Format } from '../../../engine/format.ts';
import type { Identity } from '../../../people/identity/identity.ts';
import type { InstallationView } from '../../../people/portal-users/installation.ts';
import type { Portal } from '../../../people/portal-users/portal.ts';
import type { Audit } from '../../../trail/audit.ts';
import { openTrailQuestions, type TrailQuestions } from '../../../trail/questions/questions.ts';
import { LiveTokens } from '../../../vault/tokens/live-tokens.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { CardRequests } from '../../../work/cardholders/requests/card-requests.ts';
import { type Changes, openChanges } from '../../../work/changes/changes.ts';
import type { Drops } from '../../../work/drops/drops.ts';
import type { EventEndpoints } from '../../../work/events/endpoints.ts';
import { type EventHistory, openEventHistory } from '../../../work/events/history.ts';
import type { Intake } from '../../../work/jobs/intake.ts';
import { type Jobs, openJobs } from '../../../work/jobs/jobs.ts';
import type { Gateway } from '../../../work/payments/gateway/gateway.ts';
import type { Bodies } from '../../../work/relay/bodies/bodies.ts';
import type { Destinations } from '../../../work/relay/partners/destinations.ts';
import type { Profiles } from '../../../work/relay/profiles/profiles.ts';
import type { RouteControls } from '../../../work/routes/route-controls.ts';
import type { Routes } from '../../../work/routes/routes.ts';
import { type AccountSearch, openSearch } from '../../../work/search/search.ts';
import { type Figures, openFigures } from '../../../work/statistics/figures.ts';
import type { CallLog, LoggedCall } from '../server/call-log.ts';
import type { HttpSettings } from '../settings.ts';

export interface PortalParts {
	readonly audit: Audit;
	readonly bodies: Bodies;
	readonly calls: Pick<CallLog, 'list'>;
	readonly cardRequests: CardRequests;
	readonly changes: Changes;
	readonly clock: Clock;
	readonly destinations: Destinations;
	readonly drops: Drops;
	readonly endpoints: EventEndpoints;
	readonly eventHistory: EventHistory;
	readonly figures: Figures;
	readonly formats: ReadonlyMap<string, Format>;
	readonly gateway: Gateway;
	readonly identity: Identity;
	/** The state of the installation for operators. Without it there are no pages about that. */
	readonly installation?: InstallationView;
	readonly intake: Intake;
	readonly jobs: Jobs;
	readonly logger: Logger;
	/** The queue of mails. It is open if a mail server is set, and only then links are sent by mail. */
	readonly mails: Pick<MailQueue, 'isOpen'>;
	readonly outbound: Pick<OutboundClient, 'call'>;
	readonly portal: Portal;
	readonly profiles: Profiles;
	readonly routeControls: RouteControls;
	readonly routes: Routes;
	readonly search: AccountSearch<LoggedCall>;
	readonly settings: Pick<HttpSettings, 'environment' | 'baseUrl' | 'allowLongCvv' | 'allowPrivate' | 'sftpPort'>;
	readonly trail: TrailQuestions;
	readonly vault: Vault;
}

/** The parts that only pages ask. */
type Made = 'bodies' | 'calls' | 'changes' | 'eventHistory' | 'figures' | 'jobs' | 'search' | 'trail';

/** What the portal is built of: the parts that others have too, and what those are made of that only pages ask. */
export interface PortalHouse extends Omit<PortalParts, Made> {
	readonly callLog: Pick<CallLog, 'find' | 'list'>;
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly engine: TransferEngine;
	readonly thirdParties: { readonly bodies: Bodies };
}

export function partsOf(house: PortalHouse): PortalParts {
	const tokens = new LiveTokens(house);
	return {
		...house,
		bodies: house.thirdParties.bodies,
		calls: house.callLog,
		changes: openChanges(house),
		eventHistory: openEventHistory(house),
		figures: openFigures(house),
		jobs: openJobs(house),
		search: openSearch({ ...house, users: house.portal.users, calls: house.callLog }),
		trail: openTrailQuestions({ ...house, pagesOf: (token) => tokens.pagesOf(token) }),
	};
}
