// The pages about the access of an account: allowance, CVV retention, API keys, SSH keys, web sites, sub-users and
// properties.

import { ServiceError } from '../../../../../base/errors.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import type { Account } from '../../../../../people/identity/accounts/accounts.ts';
import type { Place } from '../../kinds/actions.ts';
import { factsOf } from '../../kinds/columns.ts';
import type { PortalParts } from '../../parts.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import { accountPages, accountsPart, switchActions, switchPart } from './accounts.ts';
import { CALLS } from './calls.ts';
import { keyList, keyPages } from './keys.ts';
import { originActions, originList } from './origins.ts';
import { ACCESS, accessGroup, findOwner, forOwners, type Owner } from './owner.ts';
import { removingSshKeys, sshKeyList, sshKeyPages } from './ssh-keys.ts';

type Parts = Pick<PortalParts, 'identity' | 'settings' | 'clock'>;

export function accessPages(parts: Parts): PortalPage[] {
	const { identity, settings } = parts;
	const { apiKeys, sshKeys, origins, accounts, changes } = identity;
	const isSandbox = settings.environment === 'sandbox';
	const overviewPages = (path: `/portal/access${string}`) =>
		accessGroup.detail<Owner>(path, 'access.see', {
			title: ({ account, parent }, { say }) => say(parent ? 'access.of' : 'access.title', { user: account.userId }),
			find: (call) => findOwner(identity, call),
			async body(owner, call, { place }) {
				const { account, parent } = owner;
				const of = parent ?? (account.parentId === null ? undefined : await accounts.findById(account.parentId));
				const inherited = of ? await origins.list(of.id) : [];
				const sites = (await origins.list(account.id)).map((origin) => ({
					origin,
					isOwn: !inherited.includes(origin),
				}));
				return [
					allowancePart(call, account, of),
					keyList(call, owner, await apiKeys.list(account)),
					!parent && html`<p><a href="${CALLS}">${call.say('calls.link')}</a></p>`,
					sshKeyList(call, owner, await sshKeys.list(account), place),
					originList(call, sites, place),
					account.kind === 'primary' && accountsPart(call),
					cvvPart(call, owner, isSandbox, place),
					switchPart(call, owner, place),
					parent && html`<p><a href="${ACCESS}">${call.say('access.own')}</a></p>`,
				];
			},
			actions: {
				cvv: {
					right: 'access.change',
					submit: ({ account }, { say }) => say(account.cvvRetention ? 'access.cvv.turnOff' : 'access.cvv.turnOn'),
					tone: 'plain',
					async act({ account }, { form, viewer, say }) {
						const isOn = form.keep === 'yes';
						if (isOn && !isSandbox)
							throw new ServiceError('permission-denied', { moreInfo: say('access.cvv.onlyOperator') });
						await changes.setCvvRetention(account, viewer.actor, isOn);
						return isOn ? 'access.cvv.turnedOn' : 'access.cvv.turnedOff';
					},
				},
				...originActions(identity),
				'ssh/remove': removingSshKeys(identity),
				...switchActions(identity),
			},
		});
	return [...forOwners(overviewPages), ...accountPages(parts), ...keyPages(parts), ...sshKeyPages(parts)];
}

function allowancePart(call: PortalCall, account: Account, parent: Account | undefined): Html {
	const { say } = call;
	if (parent) {
		const shared = say('access.allowance.shared', { user: parent.userId });
		return html`<section><h2>${say('access.allowance.title')}</h2><p>${shared}</p></section>
`;
	}
	const facts = factsOf<Account>(
		call,
		[
			['access.allowance.limit', ({ allowanceLimit }) => allowanceLimit ?? say('access.allowance.unlimited')],
			['access.allowance.used', ({ allowanceUsed }) => allowanceUsed],
			['access.allowance.left', leftOf],
			['access.allowance.blocked', ({ blockedAt }) => blockedAt ?? undefined],
		],
		account,
	);
	return html`<section><h2>${say('access.allowance.title')}</h2><p>${say('access.allowance.explain')}</p>
${facts}</section>
`;
}

function leftOf({ allowanceLimit: limit, allowanceUsed: used }: Account): number | undefined {
	return limit === null ? undefined : Math.max(0, limit - used);
}

function cvvPart({ say, viewer }: PortalCall, { account }: Owner, isSandbox: boolean, place: Place): Html {
	const isOn = account.cvvRetention;
	const mayTurn = viewer.has('access.change') && (isOn || isSandbox);
	const turn = mayTurn
		? place('cvv', { keep: isOn ? 'no' : 'yes' })
		: !isOn && html`<p class="hint">${say('access.cvv.onlyOperator')}</p>`;
	return html`<section><h2>${say('access.cvv.title')}</h2><p>${say(isOn ? 'access.cvv.on' : 'access.cvv.off')}</p>
${turn}</section>
`;
}
