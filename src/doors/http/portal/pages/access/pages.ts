// The pages about the access of an account: allowance, CVV retention, API keys, SSH keys, web sites, sub-users and
// properties.

import { ServiceError } from '../../../../../base/errors.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import { fillText } from '../../../../../base/pages/languages/index.ts';
import type { Account } from '../../../../../people/identity/accounts/accounts.ts';
import type { HttpRooms } from '../../../rooms.ts';
import { count, definitions, form, time } from '../../parts.ts';
import type { PortalAnswer, PortalCall, PortalPage } from '../../portal-page.ts';
import { accountList, accountPages, accountSwitch, CHILDREN_A_PAGE } from './accounts.ts';
import { keyList, keyPages } from './keys.ts';
import { originList, originPages } from './origins.ts';
import { type Owner, ownerPages } from './owner.ts';
import { accessPage, type Refused, titleOf } from './page.ts';
import { sshKeyList, sshKeyPages } from './ssh-keys.ts';

type Rooms = Pick<HttpRooms, 'identity' | 'settings' | 'clock'>;

/** Returns all pages about the access of accounts. */
export function accessPages(rooms: Rooms): PortalPage[] {
	const { identity, settings } = rooms;
	const { apiKeys, sshKeys, origins, accounts, changes } = identity;
	const isSandbox = settings.environment === 'sandbox';

	const overview = async (
		call: PortalCall,
		owner: Owner,
		refused: { readonly origin?: Refused; readonly account?: Refused } = {},
	): Promise<PortalAnswer> => {
		const { account, parent } = owner;
		const of = parent ?? (account.parentId === null ? undefined : await accounts.findById(account.parentId));
		const inherited = of ? await origins.list(of.id) : [];
		const sites = (await origins.list(account.id)).map((origin) => ({ origin, isOwn: !inherited.includes(origin) }));
		const mayHaveChildren = account.kind === 'primary';
		const page = { after: call.query.after, limit: CHILDREN_A_PAGE + 1 };
		const children = mayHaveChildren ? await accounts.listChildren(account.id, page) : [];
		const body = html`${allowance(call, account, of)}${keyList(call, owner, await apiKeys.list(account))}${sshKeyList(call, owner, await sshKeys.list(account))}${originList(call, owner, sites, refused.origin)}${mayHaveChildren && accountList(call, account, children, refused.account)}${cvvRetention(call, owner, isSandbox)}${parent && accountSwitch(call, account)}`;
		const status = refused.origin || refused.account ? 400 : undefined;
		return accessPage(call, owner, { title: titleOf(call, owner), body, status });
	};

	return [
		...ownerPages(identity, { path: '', method: 'GET', right: 'access.see' }, (call, owner) => overview(call, owner)),
		...ownerPages(identity, { path: '/cvv', method: 'POST', right: 'access.change' }, async (call, owner) => {
			const isOn = call.form.keep === 'yes';
			if (isOn && !isSandbox)
				throw new ServiceError('permission-denied', { moreInfo: call.texts.access.cvv.onlyOperator });
			await changes.setCvvRetention(owner.account, call.viewer.actor, isOn);
			const { turnedOn, turnedOff } = call.texts.access.cvv;
			return { redirectTo: owner.base, notice: isOn ? turnedOn : turnedOff };
		}),
		...keyPages(rooms),
		...sshKeyPages(rooms),
		...originPages(rooms, overview),
		...accountPages(rooms, overview),
	];
}

function allowance({ texts, language }: PortalCall, account: Account, parent: Account | undefined): Html {
	const { allowance: says } = texts.access;
	if (parent) {
		const shared = fillText(says.shared, { user: parent.userId });
		return html`<section><h2>${says.title}</h2><p>${shared}</p></section>
`;
	}
	const { allowanceLimit: limit, allowanceUsed: used, blockedAt } = account;
	const units = (value: number) => count(value, language);
	return html`<section><h2>${says.title}</h2><p>${says.explain}</p>
${definitions([
	[says.limit, limit === null ? says.unlimited : units(limit)],
	[says.used, units(used)],
	...(limit === null ? [] : [[says.left, units(Math.max(0, limit - used))] as const]),
	...(blockedAt ? [[says.blocked, time(blockedAt, language)] as const] : []),
])}</section>
`;
}

function cvvRetention(call: PortalCall, { account, base }: Owner, isSandbox: boolean): Html {
	const { cvv } = call.texts.access;
	const isOn = account.cvvRetention;
	const change = form(call, {
		action: `${base}/cvv`,
		body: html`<input type="hidden" name="keep" value="${isOn ? 'no' : 'yes'}">`,
		submit: isOn ? cvv.turnOff : cvv.turnOn,
		tone: 'plain',
	});
	const mayTurn = call.viewer.has('access.change') && (isOn || isSandbox);
	return html`<section><h2>${cvv.title}</h2><p>${isOn ? cvv.on : cvv.off}</p>
${mayTurn ? change : !isOn && html`<p class="hint">${cvv.onlyOperator}</p>`}</section>
`;
}
