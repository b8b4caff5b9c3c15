// Opens the calls to and from third parties.

import type { Clock } from '../../base/clock.ts';
import type { Allowance } from '../../people/identity/accounts/allowance.ts';
import type { Audit } from '../../trail/audit.ts';
import type { Vault } from '../../vault/vault.ts';
import type { Bodies } from './bodies/bodies.ts';
import { openTargetCalls, type TargetCallsOptions } from './call.ts';
import { type CaptureCall, capture } from './capture.ts';
import { type InboundCall, inbound } from './inbound.ts';
import { type RelayCall, relay } from './relay.ts';

export interface ThirdPartiesOptions extends TargetCallsOptions {
	readonly vault: Vault;
	readonly audit: Audit;
	readonly allowance: Allowance;
	readonly bodies: Bodies;
	readonly clock: Clock;
}

/** The calls to and from third parties; each fails with a ServiceError of spec §7.4. */
export type ThirdParties = ReturnType<typeof openThirdParties>;

export function openThirdParties(options: ThirdPartiesOptions) {
	const { outbound, bodies } = options;
	const parts = { ...options, targets: openTargetCalls(options) };
	return {
		outbound,
		bodies,
		/** Replaces the tokens of a request by cards and passes it on. */
		relay: (call: RelayCall) => relay(parts, call),
		capture: (call: CaptureCall) => capture(parts, call),
		/** Tokenizes a request of a third party and passes it on to the target of the profile. */
		inbound: (call: InboundCall) => inbound(parts, call),
	};
}
