// The pages about the sub-users and properties of an account: the list, adding one, and switching one off and on.

import { type Html, html } from '../../../../../base/pages/html.ts';
import { fillText } from '../../../../../base/pages/languages/index.ts';
import type { Account } from '../../../../../people/identity/accounts/accounts.ts';
import { nameWithin } from '../../../../../people/identity/accounts/user-id.ts';
import type { HttpRooms } from '../../../rooms.ts';
import { badge, choiceField, emptyState, field, form, pager, table } from '../../parts.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import { madePage } from './keys.ts';
import { nothingThere, type OwnerPage, ownerPages } from './owner.ts';
import { orAgain, type Refused } from './page.ts';

export const CHILDREN_A_PAGE = 50;

/**
 * Returns the list of the sub-users and properties of an account. If `children` has one more than a page shows, there is
 * a next page.
 */
export function accountList(call: PortalCall, account: Account, children: readonly Account[], refused?: Refused): Html {
	const { accounts: says } = call.texts.access;
	const shown = children.slice(0, CHILDREN_A_PAGE);
	const rows = shown.map(({ userId, kind, disabledAt, isBroken }) => [
		isBroken ? userId : html`<a href="/portal/access/of/${encodeURIComponent(userId)}">${userId}</a>`,
		says.kinds[kind],
		isBroken ? badge('bad', says.broken) : disabledAt ? badge('bad', says.disabled) : badge('good', says.active),
	]);
	const next = children.length > shown.length ? shown.at(-1)!.userId : undefined;
	const kinds = (['sub-user', 'property'] as const).map((kind) => [kind, says.kinds[kind]] as const);
	const add = form(call, {
		action: '/portal/access/accounts',
		body: html`${field({
			...{
				name: 'userId',
				label: says.userId,
				hint: fillText(says.createHint, { user: account.userId }),
				isRequired: true,
				maxLength: 64,
			},
			...{ value: refused?.typed.userId, problem: refused?.problem },
		})}${choiceField({ name: 'kind', label: says.kind, options: kinds, value: refused?.typed.kind })}`,
		submit: says.create,
	});
	const caption = fillText(says.caption, { user: account.userId });
	return html`<section><h2>${says.title}</h2>
${rows.length === 0 ? emptyState(says.none) : table({ caption, head: [says.userId, says.kind, says.state], rows })}${pager(call, '/portal/access', call.query, next)}${call.viewer.has('access.change') && add}</section>
`;
}

/** Returns the form that switches a sub-user or property off or on. */
export function accountSwitch(call: PortalCall, { userId, disabledAt }: Account): Html {
	const { accounts: says } = call.texts.access;
	if (!call.viewer.has('access.change')) return html``;
	const path = `/portal/access/of/${encodeURIComponent(userId)}`;
	const title = fillText(disabledAt ? says.enable : says.disable, { user: userId });
	const action = `${path}/${disabledAt ? 'enable' : 'disable'}`;
	return html`<section><h2>${title}</h2>${!disabledAt && html`<p>${says.disableHint}</p>`}
${form(call, { action, body: html``, submit: title, tone: disabledAt ? 'plain' : 'danger' })}</section>
`;
}

export function accountPages(
	{ identity }: Pick<HttpRooms, 'identity'>,
	again: (...args: [...Parameters<OwnerPage>, { readonly account: Refused }]) => ReturnType<OwnerPage>,
): PortalPage[] {
	const { changes } = identity;
	const change = { method: 'POST', right: 'access.change' } as const;
	const switching = (verb: 'disable' | 'enable') =>
		ownerPages(identity, { path: `/${verb}`, ...change }, async (call, owner) => {
			// An account can be switched off only by users of its primary account, so that nobody switches off the
			// account that they are signed in to.
			if (!owner.parent) throw nothingThere();
			await changes[verb](owner.account, call.viewer.actor);
			const { disabledDone, enabledDone } = call.texts.access.accounts;
			const notice = fillText(verb === 'disable' ? disabledDone : enabledDone, { user: owner.account.userId });
			return { redirectTo: owner.base, notice };
		});
	return [
		...ownerPages(identity, { path: '/accounts', ...change }, (call, owner) =>
			orAgain(
				call,
				async () => {
					// Only a primary account can have sub-users and properties.
					if (owner.parent || owner.account.kind !== 'primary') throw nothingThere();
					const { userId = '', kind } = call.form;
					const account = {
						...{ userId: nameWithin(owner.account.userId, userId.trim()), parent: owner.account.userId },
						kind: kind === 'property' ? ('property' as const) : ('sub-user' as const),
					};
					const made = await identity.createAccount(account, call.viewer.actor);
					return madePage(call, owner, made, made.account.userId);
				},
				(account) => again(call, owner, { account }),
			),
		),
		...switching('disable'),
		...switching('enable'),
	];
}
