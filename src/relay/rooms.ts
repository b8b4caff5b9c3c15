// What the flows to and from third parties are given.

import type { Audit } from '../audit/audit.ts';
import type { Clock } from '../clock.ts';
import type { Allowance } from '../identity/allowance.ts';
import type { Principal } from '../identity/principal.ts';
import type { HeaderPair } from '../outbound/headers.ts';
import type { OutboundClient } from '../outbound/http-client.ts';
import type { Vault } from '../vault/vault.ts';
import type { Bodies } from './bodies/bodies.ts';
import type { HttpMethod } from './profile.ts';
import type { ReadyProfile } from './profiles.ts';

export interface RelayRooms {
	readonly vault: Vault;
	readonly audit: Audit;
	readonly allowance: Allowance;
	readonly outbound: OutboundClient;
	/** Reads and writes the bodies of messages. */
	readonly bodies: Bodies;
	readonly clock: Clock;
	readonly environment: 'sandbox' | 'production';
	readonly maxAnswerBytes: number;
	/** Told of every call that was made, for figures. */
	onCalled?(seen: CallSeen): void;
}

export type CallKind = 'relay' | 'capture' | 'preset' | 'inbound';

export interface CallSeen {
	readonly kind: CallKind;
	readonly host: string;
	/** Status of the third party, or why there is none. */
	readonly outcome: number | 'timeout' | 'unreachable' | 'refused';
	readonly seconds: number;
}

/** A call of one of ours that is to reach a third party. */
export interface ThirdPartyCall {
	readonly principal: Principal;
	readonly requestId: string;
	readonly profile: ReadyProfile;
	/** As the caller wrote it; the profile's unless given. */
	readonly targetUri?: string;
	readonly method?: HttpMethod | 'HEAD' | 'OPTIONS';
	/** Name, value, name, value, as they came. */
	readonly headers: readonly string[];
	readonly body: Buffer | null;
	/** By `performance.now()`: the whole round trip ends before (spec §4.1, relay rule 2). */
	readonly deadlineAt: number;
	/** Awaited before anything leaves; nothing does when it throws. */
	beforeSending?(): Promise<void>;
	/** Told when what `beforeSending` announced has certainly not left: whoever asks again may send it. */
	notSent?(): void;
}

/** What a third party said, fit to be passed on. */
export interface ThirdPartyAnswer {
	readonly status: number;
	readonly headers: readonly HeaderPair[];
	readonly body: Buffer;
}

/** Longest round trip to a third party, in milliseconds; a larger `timeout` does not extend it (spec §4.1, §8). */
export const ROUND_TRIP_MS = 29_000;
