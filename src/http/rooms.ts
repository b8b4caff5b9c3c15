// The objects that the HTTP routes work with, whatever opened them.

import type { Audit } from '../audit/audit.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/open.ts';
import type { Drops } from '../drops/drops.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { Identity } from '../identity/identity.ts';
import type { Intake } from '../jobs/intake.ts';
import type { KeyRing } from '../keys/key-ring.ts';
import type { Logger } from '../log.ts';
import type { FileRelay } from '../relay/file-relay.ts';
import type { Profiles } from '../relay/profiles.ts';
import type { RelayRooms } from '../relay/rooms.ts';
import type { TransferEngine } from '../transfer/engine.ts';
import type { Format } from '../transfer/format.ts';
import type { EliminationLimit } from '../vault/elimination.ts';
import type { NetworkTokenProvider } from '../vault/network-tokens.ts';
import type { Vault } from '../vault/vault.ts';
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
	readonly gateway: Gateway;
	readonly profiles: Profiles;
	/** The objects for the flows to and from third parties. */
	readonly thirdParties: RelayRooms;
	readonly clock: Clock;
	readonly logger: Logger;
	readonly loginLimiter: LoginLimiter;
	readonly settings: {
		readonly environment: 'sandbox' | 'production';
		/** The address without a slash at the end; token URIs begin with it. */
		readonly baseUrl: string;
		readonly bodyLimitBytes: number;
		readonly requestTimeoutMs: number;
		/** Is true if CVV policies in production may exceed the default one. */
		readonly allowLongCvv?: boolean;
	};
	/** The limit on looking up duplicates, and its listener. */
	readonly elimination?: EliminationLimit;
	/** The connection to the card networks; in the sandbox a simulated one by default. */
	readonly networkTokens?: NetworkTokenProvider;
	/** Is called once for each answered request, for metrics. */
	onAnswered?(seen: {
		readonly route: string;
		readonly method: string;
		readonly status: number;
		readonly seconds: number;
		/** Absent for a path that is no call's. */
		readonly call?: Call;
		/** Why it failed. */
		readonly reason?: AnsweredReason;
	}): void;
}
