// Stores, shows and removes the credentials with which an account pays at gateways. Stored secrets are never shown.

import { html } from '../../../../../base/pages/html.ts';
import { maskCredentials } from '../../../../../work/payments/gateway/credentials.ts';
import { getCredentialsBody, isCredentialsId } from '../../../gateway/credentials.ts';
import { CREDENTIALS_BODY } from '../../../gateway/order-schema.ts';
import { Members } from '../../../input/members.ts';
import type { HttpRooms } from '../../../rooms.ts';
import { definitions, field, form, notice, time } from '../../parts.ts';
import type { PortalAnswer, PortalCall, PortalPage } from '../../portal-page.ts';
import { notThere, principalOf, refusalsOf } from './own.ts';
import { PARTIES, PARTIES_HELP } from './parties.ts';

const CREDENTIALS = `${PARTIES}/credentials` as const;
/** In the form, the names of a gateway's fields begin with this text, so that they cannot clash with the other fields. */
const PREFIX = 'Credentials.';

export function credentialPages(rooms: HttpRooms): PortalPage[] {
	const { gateway } = rooms;
	return [
		{
			path: `${PARTIES}/new-credentials`,
			method: 'GET',
			right: 'credentials.change',
			handle: async (call) => newPage(rooms, call, { gateway: call.query.gateway ?? '', id: '' }),
		},
		{
			path: `${CREDENTIALS}/:id`,
			method: 'GET',
			right: 'parties.see',
			async handle(call) {
				const { id } = call.params;
				const stored = isCredentialsId(id) && (await gateway.credentials.find(principalOf(call).ownerId, id));
				if (!stored) throw notThere();
				const { parties: words } = call.texts.cards;
				const driver = gateway.findDriver(stored.gateway);
				const shown = driver ? Object.entries(maskCredentials(driver, stored.credentials)) : [];
				const mayChange = call.viewer.has('credentials.change');
				const again = `${PARTIES}/new-credentials?${new URLSearchParams({ gateway: stored.gateway, id })}`;
				const body = html`${definitions([
					[words.gateway, stored.gateway],
					...shown,
					[words.changed, time(stored.updatedAt, call.language)],
				])}
${mayChange && html`<p class="actions"><a class="button" href="${again}">${words.replace}</a></p>${form(call, { action: `${CREDENTIALS}/${id}/remove`, submit: words.remove, tone: 'danger', body: html`<p>${words.removeCredentialsText}</p>` })}`}`;
				return { page: { title: `${words.credentials} ${id}`, section: 'parties', body, help: PARTIES_HELP } };
			},
		},
		{
			path: `${CREDENTIALS}/save`,
			method: 'POST',
			right: 'credentials.change',
			async handle(call) {
				const { id = '', gateway: name = '', ...given } = call.form;
				const texts = Object.entries(given).filter(([key]) => key.startsWith(PREFIX));
				const value = {
					Name: name,
					Credentials: Object.fromEntries(texts.map(([key, text]) => [key.slice(PREFIX.length), text])),
				};
				const refusals = await refusalsOf(async () => {
					const { driver, credentials } = getCredentialsBody(
						gateway,
						id,
						Members.of({ format: 'json', value }, CREDENTIALS_BODY),
					);
					const place = { accountId: principalOf(call).ownerId, id, actor: call.viewer.actor };
					await gateway.credentials.put(place, driver.name, credentials);
				});
				if (refusals) return newPage(rooms, call, { gateway: name, id }, refusals);
				return { redirectTo: `${CREDENTIALS}/${id}`, notice: call.texts.cards.parties.saved };
			},
		},
		{
			path: `${CREDENTIALS}/:id/remove`,
			method: 'POST',
			right: 'credentials.change',
			async handle(call) {
				const { id } = call.params;
				const place = { accountId: principalOf(call).ownerId, id, actor: call.viewer.actor };
				if (!isCredentialsId(id) || !(await gateway.credentials.remove(place))) throw notThere();
				return { redirectTo: PARTIES, notice: call.texts.cards.parties.removed };
			},
		},
	];
}

function newPage(
	{ gateway }: HttpRooms,
	call: PortalCall,
	given: { readonly gateway: string; readonly id: string },
	refusals: Readonly<Record<string, string>> = {},
): PortalAnswer {
	const driver = gateway.findDriver(given.gateway);
	if (!driver) throw notThere();
	const { parties: words } = call.texts.cards;
	const id = given.id || (call.query.id ?? '');
	// The values of a gateway's fields are not written back into the form, because they may be secrets.
	const secrets = driver.credentialsSchema.map(({ name, description, isSecret, isRequired }) =>
		field({
			...{ name: PREFIX + name, label: name, hint: description, isRequired, autocomplete: 'off' },
			type: isSecret ? 'password' : 'text',
			problem: refusals[PREFIX + name],
		}),
	);
	const body = html`${refusals[''] !== undefined && notice('bad', refusals[''])}
${form(call, {
	action: `${CREDENTIALS}/save`,
	submit: words.save,
	body: html`<input type="hidden" name="gateway" value="${driver.name}">
${field({ name: 'id', label: words.name, hint: words.nameHint, value: isCredentialsId(id) ? id : '', isRequired: true, problem: refusals.credentialsId })}
${secrets}`,
})}`;
	const status = Object.keys(refusals).length > 0 ? 400 : 200;
	return {
		page: { title: `${words.credentials}: ${driver.name}`, section: 'parties', body, help: PARTIES_HELP },
		status,
	};
}
