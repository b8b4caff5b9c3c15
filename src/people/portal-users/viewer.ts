import type { AccountId } from '../../base/database/ids.ts';
import type { Caller } from '../../trail/actor.ts';
import type { AccountKind } from '../identity/accounts/account-store.ts';
import type { Principal } from '../identity/principal.ts';
import type { Role } from '../operators/roles.ts';
import type { PortalRole, Right } from './rights.ts';
import type { ProviderVisit } from './sign-in/sessions.ts';

/** Describes the person who looks at a page of the portal. */
export interface Viewer {
	readonly user: { readonly id: number; readonly name: string; readonly language: string | null };
	readonly role: PortalRole;
	/** The role that an operator has in the table of operators at this moment. */
	readonly operatorRole?: Role;
	/** The account of the user; absent for operators. */
	readonly account?: { readonly id: AccountId; readonly userId: string; readonly kind: AccountKind };
	/** The user as the caller of other functions, with the permissions that the rights include; absent for operators. */
	readonly principal?: Principal;
	/** Names the user in the audit trail, with a credential such as `portal-user 7`. */
	readonly actor: Caller;
	readonly session: {
		readonly id: string;
		readonly csrf: string;
		readonly idleEndsAtMs: number;
		readonly hasSecondFactor: boolean;
		/** The time when the user last showed the password or a second factor, in milliseconds since 1970. */
		readonly provenAtMs: number;
		readonly visit?: ProviderVisit;
		/** True if the user needs a second factor and has none. Until they add one they have no right at all. */
		readonly mustAddFactor: boolean;
	};
	has(right: Right): boolean;
}
