// The pages about API keys: the list, creating a key, and replacing, changing and revoking one.

import { type Html, html } from '../../../../../base/pages/html.ts';
import { fillText } from '../../../../../base/pages/languages/index.ts';
import type { ApiKey, NewApiKey } from '../../../../../people/identity/credentials/api-keys.ts';
import { defaultPermissionsOf } from '../../../../../people/identity/permissions.ts';
import { grantableBy } from '../../../../../people/portal-users/grants.ts';
import type { HttpRooms } from '../../../rooms.ts';
import { badge, definitions, emptyState, field, form, notice, table, time } from '../../parts.ts';
import type { PortalAnswer, PortalCall, PortalPage } from '../../portal-page.ts';
import { limitFields, permissionFields, readCount, readLimitFields, readPermissionFields } from './key-fields.ts';
import { nothingThere, type Owner, ownerPages } from './owner.ts';
import { accessPage, orAgain, type Refused } from './page.ts';

const MS_AN_HOUR = 3_600_000;
/** When an API key is replaced, the old key may stay valid for a year at most. */
const MAX_OVERLAP_HOURS = 8_784;
const DEFAULT_OVERLAP_HOURS = '24';

type Call = Pick<PortalCall, 'texts' | 'language' | 'viewer'>;

/** Returns the list of the API keys of an account. Each key that still works links to a page of its own. */
export function keyList({ texts, language, viewer }: Call, { account, base }: Owner, keys: readonly ApiKey[]): Html {
	const { keys: says } = texts.access;
	const mayChange = viewer.has('access.change');
	const works = ({ state }: ApiKey) => state === 'active' || state === 'ending';
	const rows = keys.map((key) => [
		mayChange && works(key) ? html`<a href="${base}/keys/${key.id}">…${key.hint}</a>` : `…${key.hint}`,
		badge(works(key) ? 'good' : 'plain', says.states[key.state]),
		[...key.permissions].join(', '),
		key.from ?? says.anywhere,
		key.lastUsedAt ? time(key.lastUsedAt, language) : says.never,
		endOf(key) ? time(endOf(key)!, language) : says.never,
	]);
	const head = [says.key, says.state, says.may, says.from, says.lastUsed, says.ends];
	const caption = fillText(says.caption, { user: account.userId });
	return html`<section><h2>${says.title}</h2>
${rows.length === 0 ? emptyState(says.none) : table({ caption, head, rows })}${mayChange && html`<p><a href="${base}/keys/new">${says.create}</a></p>`}</section>
`;
}

function endOf({ endsAt, expiresAt, revokedAt }: ApiKey): Date | undefined {
	const ends = [endsAt, expiresAt, revokedAt].filter((date) => date !== null);
	return ends.length === 0 ? undefined : new Date(Math.min(...ends.map(Number)));
}

export function keyPages({ identity, clock }: Pick<HttpRooms, 'identity' | 'clock'>): PortalPage[] {
	const { apiKeys, changes } = identity;
	const change = { method: 'POST', right: 'access.change' } as const;
	const show = { method: 'GET', right: 'access.change' } as const;

	const findKey = async (call: PortalCall, { account }: Owner): Promise<ApiKey> => {
		const key = (await apiKeys.list(account)).find(({ id }) => String(id) === call.params.id);
		if (!key || (key.state !== 'active' && key.state !== 'ending')) throw nothingThere();
		return key;
	};
	const newKeyPage = (call: PortalCall, owner: Owner, refused?: Refused): PortalAnswer => {
		const { keys } = call.texts.access;
		const ticked = refused
			? new Set([...allTicked(call)])
			: new Set([...defaultPermissionsOf(owner.account)].filter((name) => grantableBy(call.viewer).has(name)));
		const body = html`${refused && notice('bad', refused.problem)}${form(call, {
			action: `${owner.base}/keys`,
			body: html`${permissionFields(call, ticked)}${limitFields(call, refused ?? { typed: {} })}`,
			submit: keys.create,
		})}`;
		return accessPage(call, owner, { title: keys.create, body, isPart: true, ...(refused && { status: 400 }) });
	};
	const onePage = (call: PortalCall, owner: Owner, key: ApiKey, refused?: Refused): PortalAnswer => {
		const { keys } = call.texts.access;
		const path = `${owner.base}/keys/${key.id}`;
		const grantable = grantableBy(call.viewer);
		const beyond = [...key.permissions].filter((name) => !grantable.has(name));
		const body = html`${refused && notice('bad', refused.problem)}
<section><h2>${keys.permit}</h2>
${form(call, { action: `${path}/permit`, body: permissionFields(call, key.permissions, key.permissions), submit: keys.permit })}</section>
${
	key.state === 'active' &&
	html`<section><h2>${keys.rotate}</h2><p>${keys.rotateHint}</p>
${
	beyond.length > 0
		? notice('plain', fillText(keys.rotateRefused, { names: beyond.join(', ') }))
		: form(call, {
				action: `${path}/rotate`,
				body: field({ name: 'overlap', label: keys.overlap, type: 'number', value: DEFAULT_OVERLAP_HOURS }),
				submit: keys.rotate,
			})
}</section>
`
}<section><h2>${keys.revoke}</h2><p>${keys.revokeHint}</p>
${form(call, { action: `${path}/revoke`, body: html``, submit: keys.revoke, tone: 'danger' })}</section>
`;
		const title = fillText(keys.one, { hint: key.hint });
		return accessPage(call, owner, { title, body, isPart: true, ...(refused && { status: 400 }) });
	};

	return [
		...ownerPages(identity, { path: '/keys/new', ...show }, async (call, owner) => newKeyPage(call, owner)),
		...ownerPages(identity, { path: '/keys', ...change }, (call, owner) =>
			orAgain(
				call,
				async () => {
					const permissions = readPermissionFields(call);
					const limits = readLimitFields(call, clock.now());
					return madePage(call, owner, await apiKeys.create(owner.account, call.viewer.actor, permissions, limits));
				},
				(refused) => newKeyPage(call, owner, refused),
			),
		),
		...ownerPages(identity, { path: '/keys/:id', ...show }, async (call, owner) =>
			onePage(call, owner, await findKey(call, owner)),
		),
		...ownerPages(identity, { path: '/keys/:id/rotate', ...change }, async (call, owner) => {
			const key = await findKey(call, owner);
			return orAgain(
				call,
				async () => {
					const overlap = readCount('overlap', call.form.overlap ?? '', MAX_OVERLAP_HOURS, 0);
					const options = { id: key.id, overlapMs: overlap * MS_AN_HOUR, grantable: grantableBy(call.viewer) };
					return madePage(call, owner, await apiKeys.rotate(owner.account, call.viewer.actor, options));
				},
				(refused) => onePage(call, owner, key, refused),
			);
		}),
		...ownerPages(identity, { path: '/keys/:id/permit', ...change }, async (call, owner) => {
			const key = await findKey(call, owner);
			return orAgain(
				call,
				async () => {
					const permissions = readPermissionFields(call, key.permissions);
					await changes.setPermissions(owner.account, call.viewer.actor, permissions, {
						apiKeyId: key.id,
						grantable: grantableBy(call.viewer),
					});
					return { redirectTo: owner.base, notice: call.texts.access.keys.permitted };
				},
				(refused) => onePage(call, owner, key, refused),
			);
		}),
		...ownerPages(identity, { path: '/keys/:id/revoke', ...change }, async (call, owner) => {
			const key = await findKey(call, owner);
			await apiKeys.revoke(owner.account, call.viewer.actor, key.id);
			return { redirectTo: owner.base, notice: call.texts.access.keys.revoked };
		}),
	];
}

/** Returns the page with a new API key, the only answer that contains the key in clear. */
export function madePage(call: PortalCall, owner: Owner, { apiKey, secret }: NewApiKey, userId?: string): PortalAnswer {
	const { keys } = call.texts.access;
	const body = html`${notice('good', keys.once)}${definitions([
		[keys.userId, userId ?? owner.account.userId],
		[keys.title, html`<code id="new-key">${secret.reveal()}</code>`],
		[keys.may, [...apiKey.permissions].join(', ')],
	])}`;
	return accessPage(call, owner, { title: keys.made, body, isPart: true });
}

function* allTicked({ form: typed }: Pick<PortalCall, 'form'>) {
	for (const name of Object.keys(typed)) if (name.startsWith('may-')) yield name.slice('may-'.length) as never;
}
