// The pages about API keys: the list, creating a key, and replacing, changing and revoking one.

import { type Html, html } from '../../../../../base/pages/html.ts';
import type { ApiKey, NewApiKey } from '../../../../../people/identity/credentials/api-keys.ts';
import { defaultPermissionsOf } from '../../../../../people/identity/permissions.ts';
import { grantableBy } from '../../../../../people/portal-users/grants.ts';
import { link, tableOf } from '../../kinds/columns.ts';
import type { PortalParts } from '../../parts.ts';
import { badge, definitions, notice } from '../../pieces.ts';
import type { PortalAnswer, PortalCall, PortalPage } from '../../portal-page.ts';
import * as keyFields from './key-fields.ts';
import { accessGroup, backPart, findOwner, forOwners, type Owner } from './owner.ts';

const MS_AN_HOUR = 3_600_000;
/** When an API key is replaced, the old key may stay valid for a year at most. */
const MAX_OVERLAP_HOURS = 8_784;
const DEFAULT_OVERLAP_HOURS = '24';

/** Returns the list of the API keys of an account. Each key that still works links to a page of its own. */
export function keyList(call: PortalCall, { account, base }: Owner, keys: readonly ApiKey[]): Html {
	const { say, viewer } = call;
	const mayChange = viewer.has('access.change');
	const list = tableOf<ApiKey>(
		call,
		{
			caption: () => say('access.keys.caption', { user: account.userId }),
			columns: [
				[
					'words.key',
					(key) => (mayChange && works(key) ? link(`${base}/keys/${key.id}`, `…${key.hint}`) : `…${key.hint}`),
				],
				['words.state', (key) => badge(works(key) ? 'good' : 'plain', say(`access.keys.states.${key.state}`))],
				['access.keys.may', ({ permissions }) => [...permissions].join(', ')],
				['access.keys.from', ({ from }) => from ?? say('access.keys.anywhere')],
				['access.keys.lastUsed', ({ lastUsedAt }) => lastUsedAt ?? say('words.never')],
				['access.keys.ends', (key) => endOf(key) ?? say('words.never')],
			],
			none: 'access.keys.none',
		},
		keys,
	);
	return html`<section><h2>${say('access.keys.title')}</h2>
${list}${mayChange && html`<p><a href="${base}/keys/new">${say('access.keys.create')}</a></p>`}</section>
`;
}

function works({ state }: ApiKey): boolean {
	return state === 'active' || state === 'ending';
}

function endOf({ endsAt, expiresAt, revokedAt }: ApiKey): Date | undefined {
	const ends = [endsAt, expiresAt, revokedAt].filter((date) => date !== null);
	return ends.length === 0 ? undefined : new Date(Math.min(...ends.map(Number)));
}

interface OwnedKey {
	readonly owner: Owner;
	readonly key: ApiKey;
}

export function keyPages({ identity, clock }: Pick<PortalParts, 'identity' | 'clock'>): PortalPage[] {
	const { apiKeys, changes } = identity;
	const findKey = async (call: PortalCall): Promise<OwnedKey | undefined> => {
		const owner = await findOwner(identity, call);
		const key = owner && (await apiKeys.list(owner.account)).find(({ id }) => String(id) === call.params.id);
		return key && works(key) ? { owner, key } : undefined;
	};
	return forOwners((base) => [
		...accessGroup.form<Owner>(`${base}/keys/new`, 'access.change', {
			sentTo: `${base}/keys`,
			title: 'access.keys.create',
			find: (call) => findOwner(identity, call),
			more({ account }, call, refusal) {
				const usual = [...defaultPermissionsOf(account)].filter((name) => grantableBy(call.viewer).has(name));
				return keyFields.permissionFields(call, new Set(refusal ? keyFields.tickedIn(call) : usual));
			},
			fields: keyFields.LIMIT_FIELDS,
			submit: 'access.keys.create',
			below: backPart,
			async act(owner, call) {
				const granted = keyFields.readPermissionFields(call);
				const limits = keyFields.readLimitFields(call, clock.now());
				return madePage(call, owner, await apiKeys.create(owner.account, call.viewer.actor, granted, limits));
			},
		}),
		...accessGroup.detail<OwnedKey>(`${base}/keys/:id`, 'access.change', {
			title: ({ key: { hint } }, { say }) => say('access.keys.one', { hint }),
			find: findKey,
			history: ({ key }) => ({ about: 'api-key', name: key.id }),
			actions: {
				permit: {
					more: ({ key: { permissions } }, call) => keyFields.permissionFields(call, permissions, permissions),
					submit: 'access.keys.permit',
					async act({ owner, key }, call) {
						const granted = keyFields.readPermissionFields(call, key.permissions);
						const by = { apiKeyId: key.id, grantable: grantableBy(call.viewer) };
						await changes.setPermissions(owner.account, call.viewer.actor, granted, by);
						return { redirectTo: owner.base, notice: call.say('access.keys.permitted') };
					},
				},
				rotate: {
					fields: [
						{
							name: 'overlap',
							label: 'access.keys.overlap',
							type: 'number',
							value: () => DEFAULT_OVERLAP_HOURS,
						},
					],
					submit: 'access.keys.rotate',
					async act({ owner, key }, call) {
						const overlap = keyFields.readCount('overlap', call.form.overlap ?? '', MAX_OVERLAP_HOURS, 0);
						const by = { id: key.id, overlapMs: overlap * MS_AN_HOUR, grantable: grantableBy(call.viewer) };
						return madePage(call, owner, await apiKeys.rotate(owner.account, call.viewer.actor, by));
					},
				},
				revoke: {
					submit: 'access.keys.revoke',
					tone: 'danger',
					async act({ owner, key }, call) {
						await apiKeys.revoke(owner.account, call.viewer.actor, key.id);
						return { redirectTo: owner.base, notice: call.say('access.keys.revoked') };
					},
				},
			},
			body({ owner, key }, call, { place }) {
				const { say } = call;
				const grantable = grantableBy(call.viewer);
				const beyond = [...key.permissions].filter((name) => !grantable.has(name));
				const rotate =
					beyond.length > 0
						? notice('plain', say('access.keys.rotateRefused', { names: beyond.join(', ') }))
						: place('rotate');
				return html`<section><h2>${say('access.keys.permit')}</h2>
${place('permit')}</section>
${
	key.state === 'active' &&
	html`<section><h2>${say('access.keys.rotate')}</h2><p>${say('access.keys.rotateHint')}</p>
${rotate}</section>
`
}<section><h2>${say('access.keys.revoke')}</h2><p>${say('access.keys.revokeHint')}</p>
${place('revoke')}</section>
${backPart(owner, call)}`;
			},
		}),
	]);
}

/** Returns the page with a new API key, the only answer that contains the key in clear. */
export function madePage(call: PortalCall, owner: Owner, { apiKey, secret }: NewApiKey, userId?: string): PortalAnswer {
	const { say } = call;
	const facts = definitions([
		[say('words.userId'), userId ?? owner.account.userId],
		[say('access.keys.title'), html`<code id="new-key">${secret.reveal()}</code>`],
		[say('access.keys.may'), [...apiKey.permissions].join(', ')],
	]);
	const body = html`${notice('good', say('access.keys.once'))}${facts}${backPart(owner, call)}`;
	return accessGroup.page({ title: say('access.keys.made'), body });
}
