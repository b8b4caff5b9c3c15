// The sub-users and properties of an account: the list, adding one, and switching one off and on.

import { type Html, html } from '../../../../../base/pages/html.ts';
import type { Account } from '../../../../../people/identity/accounts/accounts.ts';
import { nameWithin } from '../../../../../people/identity/accounts/user-id.ts';
import type { Identity } from '../../../../../people/identity/identity.ts';
import type { Action, Actions, Place } from '../../kinds/actions.ts';
import { link, tableOf } from '../../kinds/columns.ts';
import { pageUpTo } from '../../kinds/list.ts';
import { badge, pager } from '../../pieces.ts';
import type { PortalCall } from '../../portal-page.ts';
import { notThere } from '../../refusals.ts';
import { madePage } from './keys.ts';
import { ACCESS, type Owner } from './owner.ts';

export const CHILDREN_A_PAGE = 50;
const KINDS = ['sub-user', 'property'] as const;

/**
 * Returns the list of the sub-users and properties of an account. If `children` has one more than a page shows, there is
 * a next page.
 */
export function accountList(call: PortalCall, { account }: Owner, children: readonly Account[], place: Place): Html {
	const { say } = call;
	const { rows, next } = pageUpTo(CHILDREN_A_PAGE, children, ({ userId }) => userId);
	const list = tableOf<Account>(
		call,
		{
			caption: () => say('access.accounts.caption', { user: account.userId }),
			columns: [
				[
					'access.accounts.userId',
					({ userId, isBroken }) => (isBroken ? userId : link(`${ACCESS}/of/${encodeURIComponent(userId)}`, userId)),
				],
				['access.accounts.kind', ({ kind }) => say(`access.accounts.kinds.${kind}`)],
				['access.accounts.state', stateBadge],
			],
			none: 'access.accounts.none',
		},
		rows,
	);
	return html`<section><h2>${say('access.accounts.title')}</h2>
${list}${pager(call, ACCESS, call.query, { next })}${place('accounts')}</section>
`;
}

function stateBadge({ isBroken, disabledAt }: Account, { say }: PortalCall): Html {
	if (isBroken) return badge('bad', say('access.accounts.broken'));
	return disabledAt ? badge('bad', say('access.accounts.disabled')) : badge('good', say('access.accounts.active'));
}

/** Returns the part of the page that switches a sub-user or property off or on. */
export function switchPart({ say, viewer }: PortalCall, { account, parent }: Owner, place: Place): Html {
	if (!parent || !viewer.has('access.change')) return html``;
	const verb = account.disabledAt ? 'enable' : 'disable';
	return html`<section><h2>${say(`access.accounts.${verb}`, { user: account.userId })}</h2>${!account.disabledAt && html`<p>${say('access.accounts.disableHint')}</p>`}
${place(verb)}</section>
`;
}

export function accountActions(identity: Identity): Actions<Owner> {
	const switching = (verb: 'disable' | 'enable'): Action<Owner> => ({
		right: 'access.change',
		submit: ({ account }, { say }) => say(`access.accounts.${verb}`, { user: account.userId }),
		tone: verb === 'enable' ? 'plain' : 'danger',
		async act({ account, parent, base }, { viewer, say }) {
			// An account can be switched off only by users of its primary account, so that nobody switches off the
			// account that they are signed in to.
			if (!parent) throw notThere();
			await identity.changes[verb](account, viewer.actor);
			return { redirectTo: base, notice: say(`access.accounts.${verb}dDone`, { user: account.userId }) };
		},
	});
	return {
		accounts: {
			right: 'access.change',
			fields: [
				{
					name: 'userId',
					label: 'access.accounts.userId',
					hint: ({ account }, { say }) => say('access.accounts.createHint', { user: account.userId }),
					isRequired: true,
					maxLength: 64,
				},
				{
					name: 'kind',
					label: 'access.accounts.kind',
					choices: (_, { say }) => KINDS.map((kind) => [kind, say(`access.accounts.kinds.${kind}`)]),
				},
			],
			submit: 'access.accounts.create',
			async act(owner, call) {
				// Only a primary account can have sub-users and properties.
				if (owner.parent || owner.account.kind !== 'primary') throw notThere();
				const { userId = '', kind } = call.form;
				const parent = owner.account.userId;
				const named = { userId: nameWithin(parent, userId.trim()), parent };
				const account = { ...named, kind: kind === 'property' ? ('property' as const) : ('sub-user' as const) };
				const made = await identity.createAccount(account, call.viewer.actor);
				return madePage(call, owner, made, made.account.userId);
			},
		},
		disable: switching('disable'),
		enable: switching('enable'),
	};
}
