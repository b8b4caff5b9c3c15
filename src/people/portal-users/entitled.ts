// Determines what the user of a session may do at this moment, from the role, the state of the account, and for
// operators the table of operators.

import { actorOf, findPortalCaller, type Principal } from '../identity/principal.ts';
import { OperatorError } from '../operators/operator-error.ts';
import type { Operator } from '../operators/operators.ts';
import { covers, type Role } from '../operators/roles.ts';
import type { PortalOptions, PortalSettings } from './options.ts';
import { canGiveCards, permissionsOf, type Right, rightsOf } from './rights.ts';
import type { PortalUserRow } from './user-store.ts';
import type { Viewer } from './viewer.ts';

interface SessionFacts {
	readonly hasSecondFactor: boolean;
	readonly address: string | undefined;
	readonly requestId?: string;
	readonly endsAtMs: number;
}

export type Entitled = Omit<Viewer, 'session'> & { readonly mustAddFactor: boolean };

/** The operator role that a right needs; `view` for rights that are not listed. */
const OPERATOR_ROLES: Partial<Record<Right, Role>> = { 'installation.change': 'operate' };

/** Tells whether a user has to have a second factor. Without one, such a user may do nothing but add it. */
export function needsFactor({ role }: Pick<PortalUserRow, 'role'>, settings: PortalSettings): boolean {
	if (role === 'operator' || settings.secondFactor === 'everybody') return true;
	if (settings.environment === 'production' && canGiveCards(role)) return true;
	return role === 'manager' && settings.secondFactor === 'managers';
}

export function openEntitled({ identity, operators, settings }: PortalOptions) {
	const findOperator = async (name: string): Promise<Operator | undefined> => {
		try {
			return (await operators.standing()).find((each) => each.name === name);
		} catch (error) {
			// If somebody has altered the table of operators, no operator gets in.
			if (error instanceof OperatorError) return undefined;
			throw error;
		}
	};

	return {
		async find(user: PortalUserRow, session: SessionFacts): Promise<Entitled | undefined> {
			const mustAddFactor = needsFactor(user, settings) && !session.hasSecondFactor;
			const { id, name, language, role } = user;
			const shown = { user: { id, name, language }, role, mustAddFactor };
			const rights: ReadonlySet<Right> = mustAddFactor ? new Set() : rightsOf(role, session);
			if (user.account_id === null) {
				const operator = user.operator === null ? undefined : await findOperator(user.operator);
				if (!operator || role !== 'operator') return undefined;
				const has = (right: Right) => rights.has(right) && covers(operator.role, OPERATOR_ROLES[right] ?? 'view');
				const actor = {
					userId: `operator ${operator.name}`,
					credential: `portal-user ${id}`,
					person: name,
					...(session.address !== undefined && { address: session.address }),
					...(session.requestId !== undefined && { requestId: session.requestId }),
				};
				return { ...shown, operatorRole: operator.role, actor, has };
			}
			const caller = role === 'operator' ? undefined : await findPortalCaller(identity.accounts, user.account_id);
			if (!caller) return undefined;
			const { address, requestId, endsAtMs } = session;
			const principal: Principal = {
				...caller,
				portalUserId: id,
				person: name,
				endsAtMs,
				permissions: permissionsOf(rights),
				...(address !== undefined && { address }),
				...(requestId !== undefined && { requestId }),
			};
			return {
				...shown,
				account: { id: caller.accountId, userId: caller.userId, kind: caller.kind },
				principal,
				actor: actorOf(principal),
				has: (right) => rights.has(right),
			};
		},
	};
}
