// The parts of the house that calls use. Each call names the few that it needs.

import type { Clock } from '../../../base/clock.ts';
import type { Database } from '../../../base/database/open.ts';
import type { Logger } from '../../../base/log/log.ts';
import type { MailQueue } from '../../../base/mail/mail-queue.ts';
import type { OutboundClient } from '../../../base/outbound/http-client.ts';
import type { Format } from '../../../engine/format.ts';
import type { Identity } from '../../../people/identity/identity.ts';
import type { Audit } from '../../../trail/audit.ts';
import type { NetworkTokenProvider } from '../../../vault/tokens/network-tokens.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { Forms } from '../../../work/cardholders/forms/forms.ts';
import type { Styles } from '../../../work/cardholders/forms/styles.ts';
import type { CardRequests } from '../../../work/cardholders/requests/card-requests.ts';
import type { CardViews } from '../../../work/cardholders/requests/card-views.ts';
import type { Drops } from '../../../work/drops/drops.ts';
import type { EventEndpoints } from '../../../work/events/endpoints.ts';
import type { Intake } from '../../../work/jobs/intake.ts';
import type { Gateway } from '../../../work/payments/gateway/gateway.ts';
import type { Wallet } from '../../../work/payments/wallet/wallet.ts';
import type { FileRelay } from '../../../work/relay/file-relay.ts';
import type { Profiles } from '../../../work/relay/profiles/profiles.ts';
import type { ThirdParties } from '../../../work/relay/third-parties.ts';
import type { RouteControls } from '../../../work/routes/route-controls.ts';
import type { Routes } from '../../../work/routes/routes.ts';
import type { Batches } from '../batch/stream.ts';
import type { FileJobs } from '../files/job.ts';
import type { FileStreams } from '../files/stream.ts';
import type { FormPages } from '../forms/form-page.ts';
import type { Once } from '../idempotency/once.ts';
import type { CallLog } from '../server/call-log.ts';
import type { HttpSettings } from '../settings.ts';

export interface CallParts {
	readonly audit: Audit;
	readonly batches: Batches;
	readonly callLog: Pick<CallLog, 'list'>;
	readonly cardRequests: CardRequests;
	readonly cardViews: CardViews;
	readonly clock: Clock;
	readonly database: Database;
	readonly drops: Drops;
	readonly endpoints: EventEndpoints;
	readonly fileJobs: FileJobs;
	readonly fileRelay: FileRelay;
	readonly fileStreams: FileStreams;
	readonly formats: ReadonlyMap<string, Format>;
	readonly forms: Forms;
	readonly gateway: Gateway;
	readonly identity: Identity;
	readonly intake: Intake;
	readonly logger: Logger;
	/** The queue of mails. It is open if a mail server is set, and only then links are sent by mail. */
	readonly mails: Pick<MailQueue, 'isOpen'>;
	readonly networkTokens?: NetworkTokenProvider;
	readonly once: Once;
	readonly outbound: Pick<OutboundClient, 'call'>;
	readonly pages: FormPages;
	readonly profiles: Profiles;
	readonly routeControls: RouteControls;
	readonly routes: Routes;
	readonly settings: HttpSettings;
	readonly styles: Styles;
	readonly thirdParties: ThirdParties;
	readonly vault: Vault;
	readonly wallet: Pick<Wallet, 'create' | 'read' | 'carryOut' | 'findResult'>;
}
