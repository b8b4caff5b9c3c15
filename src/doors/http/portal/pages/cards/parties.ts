// Shows the third parties with which cards are exchanged: profiles, presets, URLs to which they send cards,
// destinations and gateway credentials.

import { type Html, type HtmlValue, html } from '../../../../../base/pages/html.ts';
import type { Right } from '../../../../../people/portal-users/rights.ts';
import { addressOf, loginNameOf } from '../../../../../work/relay/partners/destination.ts';
import { link, type TableKind, tableOf } from '../../kinds/columns.ts';
import { pagesOf } from '../../kinds/pages-of.ts';
import { principalOf } from '../../own.ts';
import type { PortalParts } from '../../parts.ts';
import { get, type PortalCall, type PortalPage } from '../../portal-page.ts';
import type { TextKey } from '../../texts.ts';

export const PARTIES = '/portal/parties';
export const partyPages = pagesOf({ section: 'parties', help: '/docs/portal#third-parties' });

type Parts = Pick<PortalParts, 'destinations' | 'gateway' | 'profiles' | 'settings'>;

export function partiesPage({ destinations, gateway, profiles, settings }: Parts): PortalPage {
	return get(PARTIES, 'parties.see', async (call) => {
		const { say } = call;
		const { ownerId } = principalOf(call);
		const drivers = gateway.drivers.map(({ name }) => [
			html`<a class="button plain" href="${PARTIES}/new-credentials?gateway=${encodeURIComponent(name)}">${name}</a> `,
		]);
		const body = html`${part(call, 'parties.profiles', PROFILES, await profiles.list(ownerId), newLink(call, 'parties.change', 'new-profile', 'parties.newProfile'))}
${part(call, 'parties.destinations', DESTINATIONS, await destinations.list(ownerId), newLink(call, 'credentials.change', 'new-destination', 'parties.newDestination'))}
${part(call, 'parties.credentials', CREDENTIALS, await gateway.credentials.list(ownerId))}
${call.viewer.has('credentials.change') && html`<p>${say('parties.newCredentials')}</p><p class="actions">${drivers}</p>`}
${part(call, 'parties.presets', PRESETS, profiles.presets())}
${addressesPart(call, settings.baseUrl)}`;
		return partyPages.page({ title: say('frame.sections.parties'), body });
	});
}

type Listed<List extends (...args: never[]) => unknown> =
	Awaited<ReturnType<List>> extends readonly (infer Row)[] ? Row : never;

const PROFILES: TableKind<Listed<Parts['profiles']['list']>> = {
	caption: 'parties.profilesCaption',
	columns: [
		['words.name', ({ profile: { name } }) => link(`${PARTIES}/profiles/${name}`, name)],
		['parties.description', ({ profile }) => profile.description],
		['parties.direction', ({ profile }, { say }) => say(`parties.directions.${profile.direction}`)],
		['parties.body', ({ profile }) => profile.body],
		['words.target', ({ profile }) => profile.targetUri ?? profile.hosts.join(', ')],
		['words.version', ({ version }) => String(version)],
		['words.changed', ({ updatedAt }) => updatedAt],
	],
	none: 'parties.noProfiles',
};

const DESTINATIONS: TableKind<Listed<Parts['destinations']['list']>> = {
	caption: 'parties.destinationsCaption',
	columns: [
		['words.name', ({ name }) => link(`${PARTIES}/destinations/${name}`, name)],
		['words.kind', ({ kind }) => kind.toUpperCase()],
		['parties.host', addressOf],
		['parties.user', loginNameOf],
		['words.folder', ({ folder }) => folder],
		['words.changed', ({ updatedAt }) => updatedAt],
	],
	none: 'parties.noDestinations',
};

const CREDENTIALS: TableKind<Listed<Parts['gateway']['credentials']['list']>> = {
	caption: 'parties.credentialsCaption',
	columns: [
		['words.name', ({ id }) => link(`${PARTIES}/credentials/${id}`, id)],
		['words.gateway', ({ gateway }) => gateway],
		['words.changed', ({ updatedAt }) => updatedAt],
	],
	none: 'parties.noCredentials',
};

const PRESETS: TableKind<Listed<Parts['profiles']['presets']>> = {
	caption: 'parties.presetsCaption',
	columns: [
		['words.name', ({ name }) => link(`${PARTIES}/presets/${name}`, name)],
		['parties.description', ({ description }) => description],
		['parties.body', ({ body }) => body],
	],
	none: 'parties.noPresets',
};

function part<Row>(
	call: PortalCall,
	title: TextKey,
	kind: TableKind<Row>,
	rows: readonly Row[],
	add?: HtmlValue,
): Html {
	return html`<h2>${call.say(title)}</h2>
${add}
${tableOf(call, kind, rows)}`;
}

function newLink({ viewer, say }: PortalCall, right: Right, page: string, label: TextKey): HtmlValue {
	return (
		viewer.has(right) && html`<p class="actions"><a class="button" href="${PARTIES}/${page}">${say(label)}</a></p>`
	);
}

/** Returns the part of the page with the URLs to which third parties send bodies with cards. */
function addressesPart(call: PortalCall, baseUrl: string): Html {
	const { say } = call;
	return html`<h2>${say('parties.addresses')}</h2>
<p>${say('parties.inbound')}</p><pre tabindex="0">${baseUrl}/api/inbound/${principalOf(call).userId}/${say('parties.profilePlace')}</pre>
<p>${say('parties.capture')}</p><pre tabindex="0">${baseUrl}/api/payments/paycard/capture</pre>
<p>${say('parties.booker')}</p><pre tabindex="0">${baseUrl}/api/booker/${say('parties.presetPlace')}</pre>`;
}
