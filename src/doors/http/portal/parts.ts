// The parts of the house that pages ask. Each page names the few that it needs.

import type { Database } from '../../../base/database/open.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import type { TransferEngine } from '../../../engine/engine.ts';
import type { InstallationView } from '../../../people/portal-users/installation.ts';
import type { Portal } from '../../../people/portal-users/portal.ts';
import { openTrailQuestions, type TrailQuestions } from '../../../trail/questions/questions.ts';
import { LiveTokens } from '../../../vault/tokens/live-tokens.ts';
import { type Changes, openChanges } from '../../../work/changes/changes.ts';
import { type EventHistory, openEventHistory } from '../../../work/events/history.ts';
import { type Jobs, openJobs } from '../../../work/jobs/jobs.ts';
import type { Bodies } from '../../../work/relay/bodies/bodies.ts';
import type { Destinations } from '../../../work/relay/partners/destinations.ts';
import { type AccountSearch, openSearch } from '../../../work/search/search.ts';
import { type Figures, openFigures } from '../../../work/statistics/figures.ts';
import type { CallParts } from '../calls/parts.ts';
import type { CallLog, LoggedCall } from '../server/call-log.ts';
import type { HttpSettings } from '../settings.ts';

export interface PortalParts
	extends Pick<CallParts, 'audit' | 'cardRequests' | 'clock' | 'drops' | 'endpoints' | 'formats' | 'gateway'>,
		Pick<CallParts, 'identity' | 'intake' | 'logger' | 'mails' | 'outbound' | 'profiles'>,
		Pick<CallParts, 'routeControls' | 'routes' | 'vault'> {
	readonly bodies: Bodies;
	readonly calls: Pick<CallLog, 'list'>;
	readonly changes: Changes;
	readonly destinations: Destinations;
	readonly eventHistory: EventHistory;
	readonly figures: Figures;
	/** The state of the installation for operators. Without it there are no pages about that. */
	readonly installation?: InstallationView;
	readonly jobs: Jobs;
	readonly portal: Portal;
	readonly search: AccountSearch<LoggedCall>;
	readonly settings: Pick<HttpSettings, 'environment' | 'baseUrl' | 'allowLongCvv' | 'allowPrivate' | 'sftpPort'>;
	readonly trail: TrailQuestions;
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
