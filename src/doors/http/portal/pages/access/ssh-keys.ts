import { type Html, html } from '../../../../../base/pages/html.ts';
import { fillText } from '../../../../../base/pages/languages/index.ts';
import type { SshKey } from '../../../../../people/identity/credentials/ssh-keys.ts';
import { parseSshPublicKeys } from '../../../../../people/identity/credentials/ssh-public-key.ts';
import { defaultPermissionsOf } from '../../../../../people/identity/permissions.ts';
import { grantableBy } from '../../../../../people/portal-users/grants.ts';
import type { HttpRooms } from '../../../rooms.ts';
import { emptyState, form, table, textField } from '../../parts.ts';
import type { PortalAnswer, PortalCall, PortalPage } from '../../portal-page.ts';
import { type Owner, ownerPages } from './owner.ts';
import { accessPage, orAgain, type Refused } from './page.ts';

/** Returns the list of the SSH keys of an account, each with a form that removes it. */
export function sshKeyList(call: PortalCall, { account, base }: Owner, keys: readonly SshKey[]): Html {
	const { ssh, keys: says } = call.texts.access;
	const mayChange = call.viewer.has('access.change');
	const remove = ({ fingerprint }: SshKey) =>
		html`<details><summary>${ssh.remove}</summary><p>${ssh.removeHint}</p>${form(call, {
			action: `${base}/ssh/remove`,
			body: html`<input type="hidden" name="fingerprint" value="${fingerprint}">`,
			submit: ssh.remove,
			tone: 'danger',
		})}</details>`;
	const rows = keys.map((key) => [
		key.fingerprint,
		key.algorithm,
		key.comment,
		[...key.permissions].join(', '),
		key.from ?? says.anywhere,
		...(mayChange ? [remove(key)] : []),
	]);
	const head = [ssh.fingerprint, ssh.algorithm, ssh.comment, says.may, says.from, ...(mayChange ? [ssh.remove] : [])];
	const caption = fillText(ssh.caption, { user: account.userId });
	return html`<section><h2>${ssh.title}</h2>
${rows.length === 0 ? emptyState(ssh.none) : table({ caption, head, rows })}${mayChange && html`<p><a href="${base}/ssh/new">${ssh.add}</a></p>`}</section>
`;
}

export function sshKeyPages({ identity }: Pick<HttpRooms, 'identity'>): PortalPage[] {
	const { sshKeys } = identity;
	const change = { method: 'POST', right: 'access.change' } as const;
	const newPage = (call: PortalCall, owner: Owner, refused?: Refused): PortalAnswer => {
		const { ssh } = call.texts.access;
		const parts = { name: 'keys', label: ssh.field, hint: ssh.fieldHint, rows: 6 };
		const body = form(call, {
			action: `${owner.base}/ssh`,
			body: textField({ ...parts, value: refused?.typed.keys, problem: refused?.problem }),
			submit: ssh.add,
		});
		return accessPage(call, owner, { title: ssh.add, body, isPart: true, ...(refused && { status: 400 }) });
	};
	return [
		...ownerPages(identity, { path: '/ssh/new', method: 'GET', right: 'access.change' }, async (call, owner) =>
			newPage(call, owner),
		),
		...ownerPages(identity, { path: '/ssh', ...change }, (call, owner) =>
			orAgain(
				call,
				async () => {
					const keys = parseSshPublicKeys(call.form.keys ?? '');
					const grantable = grantableBy(call.viewer);
					const granted = new Set([...defaultPermissionsOf(owner.account)].filter((name) => grantable.has(name)));
					for (const key of keys) await sshKeys.add(owner.account, call.viewer.actor, key, granted);
					return { redirectTo: owner.base, notice: call.texts.access.ssh.added };
				},
				(refused) => newPage(call, owner, withoutPrivateKey(refused)),
			),
		),
		...ownerPages(identity, { path: '/ssh/remove', ...change }, async (call, owner) => {
			await sshKeys.remove(owner.account, call.viewer.actor, call.form.fingerprint ?? '');
			return { redirectTo: owner.base, notice: call.texts.access.ssh.removed };
		}),
	];
}

/** Removes the typed text if somebody has pasted a private key by mistake, so that the page does not repeat it. */
function withoutPrivateKey(refused: Refused): Refused {
	return refused.typed.keys?.includes('PRIVATE KEY') ? { ...refused, typed: {} } : refused;
}
