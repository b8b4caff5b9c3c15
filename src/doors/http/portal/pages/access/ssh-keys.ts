import { type Html, html } from '../../../../../base/pages/html.ts';
import type { SshKey } from '../../../../../people/identity/credentials/ssh-keys.ts';
import { parseSshPublicKeys } from '../../../../../people/identity/credentials/ssh-public-key.ts';
import type { Identity } from '../../../../../people/identity/identity.ts';
import { defaultPermissionsOf } from '../../../../../people/identity/permissions.ts';
import { grantableBy } from '../../../../../people/portal-users/grants.ts';
import type { Action, Place } from '../../kinds/actions.ts';
import { tableOf } from '../../kinds/columns.ts';
import { historyLink } from '../../kinds/history-link.ts';
import type { PortalParts } from '../../parts.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import { FROM_FIELD } from './key-fields.ts';
import { accessGroup, backPart, findOwner, forOwners, type Owner } from './owner.ts';

/** Returns the list of the SSH keys of an account, each with a form that removes it. */
export function sshKeyList(call: PortalCall, { account, base }: Owner, keys: readonly SshKey[], place: Place): Html {
	const { say } = call;
	const mayChange = call.viewer.has('access.change');
	const remove = ({ fingerprint }: SshKey) =>
		html`<details><summary>${say('words.takeAway')}</summary><p>${say('access.ssh.removeHint')}</p>${place('ssh/remove', { fingerprint })}</details>`;
	const list = tableOf<SshKey>(
		call,
		{
			caption: () => say('access.ssh.caption', { user: account.userId }),
			columns: [
				['access.ssh.fingerprint', ({ fingerprint }) => fingerprint],
				['access.ssh.algorithm', ({ algorithm }) => algorithm],
				['access.ssh.comment', ({ comment }) => comment],
				['access.keys.may', ({ permissions }) => [...permissions].join(', ')],
				['access.keys.from', ({ from }) => from ?? say('access.keys.anywhere')],
				[
					'trail.title',
					({ id }) => historyLink(call, { about: 'ssh-key', name: id }),
					({ viewer }) => viewer.has('trail.see'),
				],
				['words.takeAway', remove, () => mayChange],
			],
			none: 'access.ssh.none',
		},
		keys,
	);
	return html`<section><h2>${say('access.ssh.title')}</h2>
${list}${mayChange && html`<p><a href="${base}/ssh/new">${say('access.ssh.add')}</a></p>`}</section>
`;
}

export function removingSshKeys({ sshKeys }: Identity): Action<Owner> {
	return {
		right: 'access.change',
		submit: 'words.takeAway',
		tone: 'danger',
		async act({ account }, { form, viewer }) {
			await sshKeys.remove(account, viewer.actor, form.fingerprint ?? '');
			return 'access.ssh.removed';
		},
	};
}

export function sshKeyPages({ identity }: Pick<PortalParts, 'identity'>): PortalPage[] {
	return forOwners((base) =>
		accessGroup.form<Owner>(`${base}/ssh/new`, 'access.change', {
			sentTo: `${base}/ssh`,
			title: 'access.ssh.add',
			find: (call) => findOwner(identity, call),
			fields: [
				{
					name: 'keys',
					label: 'access.ssh.field',
					hint: 'access.ssh.fieldHint',
					// What is wrong with the keys is said of no field by name.
					errorName: '',
					rows: 6,
					// Somebody may have pasted a private key by mistake, which the page must not repeat.
					isSecret: true,
					value: (_, { form }) => (form.keys?.includes('PRIVATE KEY') ? undefined : form.keys),
				},
				FROM_FIELD,
			],
			submit: 'access.ssh.add',
			below: backPart,
			back: base,
			async act({ account }, { form, viewer }) {
				const keys = parseSshPublicKeys(form.keys ?? '');
				const grantable = grantableBy(viewer);
				const granted = new Set([...defaultPermissionsOf(account)].filter((name) => grantable.has(name)));
				const from = form.from?.trim() || undefined;
				for (const key of keys) await identity.sshKeys.add(account, viewer.actor, key, granted, from);
				return 'access.ssh.added';
			},
		}),
	);
}
