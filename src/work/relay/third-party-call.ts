// Describes a call to a third party, its answer, and what is counted of it.

import type { HeaderPair } from '../../base/outbound/headers.ts';
import type { Principal } from '../../people/identity/principal.ts';
import type { HttpMethod, Profile } from './profiles/profile.ts';

export type CallKind = 'relay' | 'capture' | 'preset' | 'inbound';

export interface CallSeen {
	readonly kind: CallKind;
	readonly host: string;
	/** The status of the third party's answer, or the reason why there is none. */
	readonly outcome: number | 'timeout' | 'unreachable' | 'refused';
	readonly seconds: number;
}

export interface ThirdPartyCall {
	readonly principal: Principal;
	readonly requestId: string;
	readonly profile: Profile;
	/** The target that the caller requests; if absent, the call goes to the target of the profile. */
	readonly targetUri?: string;
	readonly method?: HttpMethod | 'HEAD' | 'OPTIONS';
	/** The headers as they were received: name, value, name, value. */
	readonly headers: readonly string[];
	readonly body: Buffer | null;
	/** The whole round trip must end before this time of `performance.now()` (spec §4.1, relay rule 2). */
	readonly deadlineAt: number;
	/** This function is awaited before anything is sent. If it throws, nothing is sent. */
	beforeSending?(): Promise<void>;
	/** Called if the call was certainly not sent after `beforeSending`. A repeated request may then send it. */
	notSent?(): void;
}

/** Holds the third party's answer, ready to be passed on. */
export interface ThirdPartyAnswer {
	readonly status: number;
	readonly headers: readonly HeaderPair[];
	readonly body: Buffer;
}

/** The longest round trip to a third party, in milliseconds, whatever `timeout` asks for (spec §4.1, §8). */
export const ROUND_TRIP_MS = 29_000;
