import { type Html, html } from '../../../../../base/pages/html.ts';
import type { HttpRooms } from '../../../rooms.ts';
import { emptyState, field, form, table } from '../../parts.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import { type Owner, type OwnerPage, ownerPages } from './owner.ts';
import { orAgain, type Refused } from './page.ts';

/**
 * Returns the list of the registered web sites of an account. Sites that the account does not inherit from its primary
 * account can be removed.
 */
export function originList(
	call: PortalCall,
	{ base }: Owner,
	origins: readonly { readonly origin: string; readonly isOwn: boolean }[],
	refused?: Refused,
): Html {
	const { origins: says } = call.texts.access;
	const mayChange = call.viewer.has('access.change');
	const remove = (origin: string) =>
		form(call, {
			action: `${base}/origins/remove`,
			body: html`<input type="hidden" name="site" value="${origin}">`,
			submit: says.remove,
			tone: 'plain',
		});
	const rows = origins.map(({ origin, isOwn }) => [
		origin,
		...(mayChange ? [isOwn ? remove(origin) : says.inherited] : []),
	]);
	const head = [says.site, ...(mayChange ? [says.remove] : [])];
	const add = form(call, {
		action: `${base}/origins`,
		body: field({
			...{ name: 'origin', label: says.field, hint: says.fieldHint, type: 'url', isRequired: true },
			...{ value: refused?.typed.origin, problem: refused?.problem },
		}),
		submit: says.add,
	});
	return html`<section><h2>${says.title}</h2><p>${says.explain}</p>
${rows.length === 0 ? emptyState(says.none) : table({ caption: says.caption, head, rows })}${mayChange && add}</section>
`;
}

export function originPages(
	{ identity }: Pick<HttpRooms, 'identity'>,
	again: (...args: [...Parameters<OwnerPage>, { readonly origin: Refused }]) => ReturnType<OwnerPage>,
): PortalPage[] {
	const { origins } = identity;
	const change = { method: 'POST', right: 'access.change' } as const;
	return [
		...ownerPages(identity, { path: '/origins', ...change }, (call, owner) =>
			orAgain(
				call,
				async () => {
					await origins.add(owner.account.userId, (call.form.origin ?? '').trim(), call.viewer.actor);
					return { redirectTo: owner.base, notice: call.texts.access.origins.added };
				},
				(origin) => again(call, owner, { origin }),
			),
		),
		...ownerPages(identity, { path: '/origins/remove', ...change }, async (call, owner) => {
			await origins.remove(owner.account.userId, call.form.site ?? '', call.viewer.actor);
			return { redirectTo: owner.base, notice: call.texts.access.origins.removed };
		}),
	];
}
