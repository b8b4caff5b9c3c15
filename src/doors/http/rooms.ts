// Defines the objects that the HTTP routes work with, no matter which code created them.

import type { Clock } from '../../base/clock.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { Logger } from '../../base/log/log.ts';
import type { MailQueue } from '../../base/mail/mail-queue.ts';
import type { TransferEngine } from '../../engine/engine.ts';
import type { Format } from '../../engine/format.ts';
import type { Identity } from '../../people/identity/identity.ts';
import type { InstallationView } from '../../people/portal-users/installation.ts';
import type { Portal } from '../../people/portal-users/portal.ts';
import type { Audit } from '../../trail/audit.ts';
import type { EliminationLimit } from '../../vault/cards/elimination.ts';
import type { NetworkTokenProvider } from '../../vault/tokens/network-tokens.ts';
import type { Vault } from '../../vault/vault.ts';
import type { CardRequests } from '../../work/cardholders/requests/card-requests.ts';
import type { CardViews } from '../../work/cardholders/requests/card-views.ts';
import type { Drops } from '../../work/drops/drops.ts';
import type { Intake } from '../../work/jobs/intake.ts';
import type { Gateway } from '../../work/payments/gateway/gateway.ts';
import type { FileRelay } from '../../work/relay/file-relay.ts';
import type { Destinations } from '../../work/relay/partners/destinations.ts';
import type { Profiles } from '../../work/relay/profiles/profiles.ts';
import type { RelayRooms } from '../../work/relay/rooms.ts';
import type { Routes } from '../../work/routes/routes.ts';
import type { LoginLimiter } from './access/login-limiter.ts';
import type { Call } from './calls/call.ts';
import type { AnsweredReason } from './server/access-log.ts';

export interface HttpRooms {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly identity: Identity;
	readonly audit: Audit;
	readonly vault: Vault;
	readonly engine: TransferEngine;
	readonly formats: ReadonlyMap<string, Format>;
	readonly drops: Drops;
	readonly intake: Intake;
	readonly fileRelay: FileRelay;
	readonly destinations: Destinations;
	readonly routes: Routes;
	readonly gateway: Gateway;
	readonly cardRequests: CardRequests;
	readonly cardViews: CardViews;
	/** The users and sessions of the portal. Without this, the app has no portal. */
	readonly portal?: Portal;
	/** The state of the installation for operators. Without this, the portal has no pages about it. */
	readonly installation?: InstallationView;
	/** The queue of mails. It is open if a mail server is set, and only then links are sent by mail. */
	readonly mails: Pick<MailQueue, 'isOpen'>;
	readonly profiles: Profiles;
	/** The objects that handle calls to and from third parties. */
	readonly thirdParties: RelayRooms;
	readonly clock: Clock;
	readonly logger: Logger;
	readonly loginLimiter: LoginLimiter;
	readonly settings: {
		readonly environment: 'sandbox' | 'production';
		/** The public URL without a slash at the end; token URIs begin with it. */
		readonly baseUrl: string;
		readonly bodyLimitBytes: number;
		readonly requestTimeoutMs: number;
		/**
		 * True if in production, too, a CVV policy may keep a CVV for longer or for more uses than the default policy.
		 */
		readonly allowLongCvv?: boolean;
		/** True if partners may have private network addresses. */
		readonly allowPrivate?: boolean;
		/** The port of sFTP that instructions for new users show; 2022 unless given. */
		readonly sftpPort?: number;
		/** The number of seconds after which a page hides a card number again. */
		readonly hideSeconds: number;
		/** The minutes for which a form can be submitted after it was opened; 30 unless given. */
		readonly formMinutes?: number;
	};
	/**
	 * Limits how many numbers an account may look up in the vault through duplicate elimination, and reports when the
	 * limit is exceeded.
	 */
	readonly elimination?: EliminationLimit;
	/** The connection to the card networks; in the sandbox a simulated one by default. */
	readonly networkTokens?: NetworkTokenProvider;
	/** This function is called once for each answered request, for metrics. */
	onAnswered?(seen: {
		readonly route: string;
		readonly method: string;
		readonly status: number;
		readonly seconds: number;
		/** The definition of the call; absent if the path belongs to no call. */
		readonly call?: Call;
		/** The reason for which the call failed. */
		readonly reason?: AnsweredReason;
		/** The account of the caller; absent if the caller is not authenticated. */
		readonly accountId?: AccountId;
	}): void;
}
