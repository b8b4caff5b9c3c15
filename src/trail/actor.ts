import type { AccountId } from '../base/database/ids.ts';

/** Describes who makes a call: the user, the credential and the network address. */
export interface Caller {
	readonly userId: string;
	/** The primary account of the user; absent for an operator. */
	readonly accountId?: AccountId;
	/** The id of the credential, for example `api-key 7`; absent for a job, which acts for its sender. */
	readonly credential?: string | null;
	/** The name with which a person signs in to the portal. */
	readonly person?: string;
	/** The network address that the call came from, if the listener knows it. */
	readonly address?: string;
	/** The `X-Request-Id` of the call over HTTP. */
	readonly requestId?: string;
}

/** The author of an action, as the audit trail names it: `daemon`, `operator root`, or a caller. */
export type Actor = string | Caller;
