// The sub-users and properties of an account: the list, adding one, and switching one off and on.

import { type Html, html } from '../../../../../base/pages/html.ts';
import type { Account } from '../../../../../people/identity/accounts/accounts.ts';
import { isUserId, nameWithin } from '../../../../../people/identity/accounts/user-id.ts';
import type { Identity } from '../../../../../people/identity/identity.ts';
import type { Action, Actions, Place } from '../../kinds/actions.ts';
import { link, statesOf } from '../../kinds/columns.ts';
import { fileOf, type PagedRows, paged } from '../../kinds/paged-rows.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import { notThere } from '../../refusals.ts';
import { madePage } from './keys.ts';
import { ACCESS, accessGroup, findOwner, type Owner } from './owner.ts';

const ACCOUNTS = `${ACCESS}/accounts` as const;
const PAGE_LENGTH = 50;
const KINDS = ['sub-user', 'property'] as const;
const FILE = fileOf<Account>('userId', 'kind', ['state', stateOf], 'createdAt');

/** Returns the part of the page of an account that leads to its sub-users and properties. */
export function accountsPart({ say }: PortalCall): Html {
	return html`<section><h2>${say('access.accounts.title')}</h2><p>${say('access.accounts.explain')}</p>
<p>${link(ACCOUNTS, say('access.accounts.show'))}</p></section>
`;
}

/** Returns the page with the list. Only a primary account has it. */
export function accountPages({ identity }: { readonly identity: Identity }): PortalPage[] {
	const { accounts } = identity;
	const children: PagedRows<Account> = {
		length: PAGE_LENGTH,
		ask({ viewer: { account } }) {
			if (account?.kind !== 'primary') throw notThere();
			const { id } = account;
			return {
				list: (page) => accounts.listChildren(id, page),
				count: (most) => accounts.countChildren(id, most),
			};
		},
		keyOf: ({ userId }) => userId,
		readKey: (text) => (isUserId(text) ? text : undefined),
	};
	return accessGroup.list<Account>(ACCOUNTS, 'access.see', {
		title: 'access.accounts.title',
		...paged(children, FILE),
		caption: ({ say, viewer }) => say('access.accounts.caption', { user: viewer.account?.userId ?? '' }),
		columns: [
			[
				'words.userId',
				({ userId, isBroken }) => (isBroken ? userId : link(`${ACCESS}/of/${encodeURIComponent(userId)}`, userId)),
			],
			['words.kind', ({ kind }, { say }) => say(`access.accounts.kinds.${kind}`)],
			['words.state', (account, call) => STATES.badge(call, stateOf(account))],
		],
		none: 'access.accounts.none',
		actions: { '': adding(identity) },
		below: ({ say }, place) => html`<section>${place('')}</section>
<p>${link(ACCESS, say('access.own'))}</p>
`,
	});
}

const STATES = statesOf('access.accounts.', { broken: 'bad', disabled: 'bad', active: 'good' });

function stateOf({ isBroken, disabledAt }: Account) {
	if (isBroken) return 'broken';
	return disabledAt ? 'disabled' : 'active';
}

function adding(identity: Identity): Action<null> {
	return {
		right: 'access.change',
		fields: [
			{
				name: 'userId',
				label: 'words.userId',
				hint: (_, { say, viewer }) => say('access.accounts.createHint', { user: viewer.account?.userId ?? '' }),
				isRequired: true,
				maxLength: 64,
			},
			{
				name: 'kind',
				label: 'words.kind',
				choices: (_, { say }) => KINDS.map((kind) => [kind, say(`access.accounts.kinds.${kind}`)]),
			},
		],
		submit: 'access.accounts.create',
		async act(_, call) {
			const owner = await findOwner(identity, call);
			// Only a primary account can have sub-users and properties.
			if (owner?.account.kind !== 'primary') throw notThere();
			const { userId = '', kind } = call.form;
			const parent = owner.account.userId;
			const named = { userId: nameWithin(parent, userId.trim()), parent };
			const account = { ...named, kind: kind === 'property' ? ('property' as const) : ('sub-user' as const) };
			const made = await identity.createAccount(account, call.viewer.actor);
			return madePage(call, { ...owner, base: ACCOUNTS }, made, made.account.userId);
		},
	};
}

/** Returns the part of the page that switches a sub-user or property off or on. */
export function switchPart({ say, viewer }: PortalCall, { account, parent }: Owner, place: Place): Html {
	if (!parent || !viewer.has('access.change')) return html``;
	const verb = account.disabledAt ? 'enable' : 'disable';
	return html`<section><h2>${say(`access.accounts.${verb}`, { user: account.userId })}</h2>${!account.disabledAt && html`<p>${say('access.accounts.disableHint')}</p>`}
${place(verb)}</section>
`;
}

export function switchActions(identity: Identity): Actions<Owner> {
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
		disable: switching('disable'),
		enable: switching('enable'),
	};
}
