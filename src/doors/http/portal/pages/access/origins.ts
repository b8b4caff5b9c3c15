import { type Html, html } from '../../../../../base/pages/html.ts';
import type { Identity } from '../../../../../people/identity/identity.ts';
import type { Actions, Place } from '../../kinds/actions.ts';
import { tableOf } from '../../kinds/columns.ts';
import type { PortalCall } from '../../portal-page.ts';
import type { Owner } from './owner.ts';

interface ListedOrigin {
	readonly origin: string;
	/** False if the account inherits the site from its primary account, and so cannot remove it. */
	readonly isOwn: boolean;
}

export function originList(call: PortalCall, origins: readonly ListedOrigin[], place: Place): Html {
	const { say } = call;
	const list = tableOf<ListedOrigin>(
		call,
		{
			caption: 'access.origins.caption',
			columns: [
				['access.origins.site', ({ origin }) => origin],
				[
					'words.takeAway',
					({ origin: site, isOwn }) => (isOwn ? place('origins/remove', { site }) : say('access.origins.inherited')),
					({ viewer }) => viewer.has('access.change'),
				],
			],
			none: 'access.origins.none',
		},
		origins,
	);
	return html`<section><h2>${say('access.origins.title')}</h2><p>${say('access.origins.explain')}</p>
${list}${place('origins')}</section>
`;
}

export function originActions({ origins }: Identity): Actions<Owner> {
	return {
		origins: {
			right: 'access.change',
			fields: [
				{
					name: 'origin',
					label: 'access.origins.field',
					hint: 'access.origins.fieldHint',
					type: 'url',
					isRequired: true,
				},
			],
			submit: 'access.origins.add',
			async act({ account }, { form, viewer }) {
				await origins.add(account.userId, (form.origin ?? '').trim(), viewer.actor);
				return 'access.origins.added';
			},
		},
		'origins/remove': {
			right: 'access.change',
			submit: 'words.takeAway',
			tone: 'plain',
			async act({ account }, { form, viewer }) {
				await origins.remove(account.userId, form.site ?? '', viewer.actor);
				return 'access.origins.removed';
			},
		},
	};
}
