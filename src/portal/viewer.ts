import type { Caller } from '../actor.ts';
import type { AccountId } from '../database/ids.ts';
import type { AccountKind } from '../identity/account-store.ts';
import type { Principal } from '../identity/principal.ts';
import type { Role } from '../operators/roles.ts';
import type { PortalRole, Right } from './rights.ts';

/** Describes who looks at a page of the portal, as it stood when the request came. */
export interface Viewer {
	readonly user: { readonly id: number; readonly name: string; readonly language: string | null };
	readonly role: PortalRole;
	/** The role of an operator, as on the command line. */
	readonly operatorRole?: Role;
	/** Absent for operators. */
	readonly account?: { readonly id: AccountId; readonly userId: string; readonly kind: AccountKind };
	/** The caller as the rooms know it, with the permissions that the rights allow; absent for operators. */
	readonly principal?: Principal;
	/** Names the user in the audit trail. */
	readonly actor: Caller;
	readonly session: {
		readonly id: string;
		readonly csrf: string;
		readonly idleEndsAtMs: number;
		readonly hasSecondFactor: boolean;
	};
	has(right: Right): boolean;
}
