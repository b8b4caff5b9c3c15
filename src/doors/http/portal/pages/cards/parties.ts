// Shows the third parties with which cards are exchanged: profiles, presets, URLs to which they send cards,
// destinations and gateway credentials.

import { html } from '../../../../../base/pages/html.ts';
import type { HttpRooms } from '../../../rooms.ts';
import { emptyState, table, time } from '../../parts.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import { principalOf } from './own.ts';

export const PARTIES = '/portal/parties';
export const PARTIES_HELP = '/docs/portal#third-parties';

export function partiesPage(rooms: HttpRooms): PortalPage {
	return {
		path: PARTIES,
		method: 'GET',
		right: 'parties.see',
		async handle(call) {
			const body = html`${await profiles(rooms, call)}${await destinations(rooms, call)}${await credentials(rooms, call)}${presets(rooms, call)}${addresses(rooms, call)}`;
			return { page: { title: call.texts.frame.sections.parties, section: 'parties', body, help: PARTIES_HELP } };
		},
	};
}

async function profiles({ profiles: room }: HttpRooms, call: PortalCall) {
	const { parties: words } = call.texts.cards;
	const rows = (await room.list(principalOf(call).ownerId)).map(({ profile, version, updatedAt }) => [
		html`<a href="${PARTIES}/profiles/${profile.name}">${profile.name}</a>`,
		...[profile.description, words.directions[profile.direction], profile.body],
		...[profile.targetUri ?? profile.hosts.join(', '), String(version), time(updatedAt, call.language)],
	]);
	const head = [words.name, words.description, words.direction, words.body, words.target, words.version, words.changed];
	return html`<h2>${words.profiles}</h2>
${call.viewer.has('parties.change') && html`<p class="actions"><a class="button" href="${PARTIES}/new-profile">${words.newProfile}</a></p>`}
${rows.length > 0 ? table({ caption: words.profilesCaption, head, rows }) : emptyState(words.noProfiles)}`;
}

async function destinations({ destinations: room }: HttpRooms, call: PortalCall) {
	const { parties: words } = call.texts.cards;
	const rows = (await room.list(principalOf(call).ownerId)).map((each) => [
		html`<a href="${PARTIES}/destinations/${each.name}">${each.name}</a>`,
		...[`${each.host}:${each.port}`, each.userName, each.folder, time(each.updatedAt, call.language)],
	]);
	const head = [words.name, words.host, words.user, words.folder, words.changed];
	return html`<h2>${words.destinations}</h2>
${call.viewer.has('credentials.change') && html`<p class="actions"><a class="button" href="${PARTIES}/new-destination">${words.newDestination}</a></p>`}
${rows.length > 0 ? table({ caption: words.destinationsCaption, head, rows }) : emptyState(words.noDestinations)}`;
}

async function credentials({ gateway }: HttpRooms, call: PortalCall) {
	const { parties: words } = call.texts.cards;
	const rows = (await gateway.credentials.list(principalOf(call).ownerId)).map((each) => [
		html`<a href="${PARTIES}/credentials/${each.id}">${each.id}</a>`,
		...[each.gateway, time(each.updatedAt, call.language)],
	]);
	const head = [words.name, words.gateway, words.changed];
	const links = gateway.drivers.map(
		({ name }) =>
			html`<a class="button plain" href="${PARTIES}/new-credentials?gateway=${encodeURIComponent(name)}">${name}</a> `,
	);
	return html`<h2>${words.credentials}</h2>
${rows.length > 0 ? table({ caption: words.credentialsCaption, head, rows }) : emptyState(words.noCredentials)}
${call.viewer.has('credentials.change') && html`<p>${words.newCredentials}</p><p class="actions">${links}</p>`}`;
}

function presets({ profiles: room }: HttpRooms, call: PortalCall) {
	const { parties: words } = call.texts.cards;
	const rows = room
		.presets()
		.map((each) => [
			html`<a href="${PARTIES}/presets/${each.name}">${each.name}</a>`,
			...[each.description, each.body],
		]);
	const head = [words.name, words.description, words.body];
	return html`<h2>${words.presets}</h2>
${rows.length > 0 ? table({ caption: words.presetsCaption, head, rows }) : emptyState(words.noPresets)}`;
}

/** Returns the part of the page with the URLs to which third parties send bodies with cards. */
function addresses({ settings: { baseUrl } }: HttpRooms, call: PortalCall) {
	const { parties: words } = call.texts.cards;
	const { userId } = principalOf(call);
	return html`<h2>${words.addresses}</h2>
<p>${words.inbound}</p><pre tabindex="0">${baseUrl}/api/inbound/${userId}/${words.profilePlace}</pre>
<p>${words.capture}</p><pre tabindex="0">${baseUrl}/api/payments/paycard/capture</pre>
<p>${words.booker}</p><pre tabindex="0">${baseUrl}/api/booker/${words.presetPlace}</pre>`;
}
