// What the HTTP door is given: the rooms it opens, and nothing about how they came to be.

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
	/** What flows to and from third parties are given. */
	readonly thirdParties: RelayRooms;
	readonly clock: Clock;
	readonly logger: Logger;
	readonly loginLimiter: LoginLimiter;
	readonly settings: {
		readonly environment: 'sandbox' | 'production';
		/** Without a slash at the end; token URIs begin with it. */
		readonly baseUrl: string;
		readonly bodyLimitBytes: number;
		readonly requestTimeoutMs: number;
		/** In production CVV policies may go beyond the default one. */
		readonly allowLongCvv?: boolean;
	};
	/** How often duplicates may be looked for, and who hears of it. */
	readonly elimination?: EliminationLimit;
	/** Who speaks with the networks; in the sandbox one of our own unless given. */
	readonly networkTokens?: NetworkTokenProvider;
	/** Called once per answered request, for figures. */
	onAnswered?(seen: { route: string; method: string; status: number; seconds: number }): void;
}
