// Stores, shows and removes the credentials with which an account pays at gateways. Stored secrets are never shown.

import { html } from '../../../../../base/pages/html.ts';
import { maskCredentials } from '../../../../../work/payments/gateway/credentials.ts';
import type { Gateway } from '../../../../../work/payments/gateway/gateway.ts';
import { getCredentialsBody, isCredentialsId } from '../../../gateway/credentials.ts';
import { CREDENTIALS_BODY } from '../../../gateway/order-schema.ts';
import { Members } from '../../../input/members.ts';
import { factsOf } from '../../kinds/columns.ts';
import type { Field } from '../../kinds/form-part.ts';
import { principalOf } from '../../own.ts';
import type { PortalParts } from '../../parts.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import { PARTIES, partyPages } from './parties.ts';

const CREDENTIALS = `${PARTIES}/credentials` as const;
/** In the form, the names of a gateway's fields begin with this text, so that they cannot clash with the other fields. */
const PREFIX = 'Credentials.';

type Driver = NonNullable<ReturnType<Gateway['findDriver']>>;
type Stored = NonNullable<Awaited<ReturnType<Gateway['credentials']['find']>>> & { readonly id: string };

export function credentialPages({ gateway }: Pick<PortalParts, 'gateway'>): PortalPage[] {
	const placeOf = (call: PortalCall, id: string) => ({
		accountId: principalOf(call).ownerId,
		id,
		actor: call.viewer.actor,
	});
	return [
		...partyPages.form<Driver>(`${PARTIES}/new-credentials`, 'credentials.change', {
			sentTo: `${CREDENTIALS}/save`,
			title: ({ name }, { say }) => `${say('parties.credentials')}: ${name}`,
			find: async ({ form, query }) => gateway.findDriver(form.gateway ?? query.gateway ?? ''),
			hidden: ({ name }) => ({ gateway: name }),
			fields: ({ credentialsSchema }) => [
				{
					name: 'id',
					label: 'words.name',
					hint: 'parties.nameHint',
					errorName: 'credentialsId',
					isRequired: true,
					// Somebody may have pasted a secret here by mistake.
					isSecret: true,
					value: (_, { form, query }) => [form.id, query.id].find((id) => isCredentialsId(id ?? '')) ?? '',
				},
				...credentialsSchema.map(
					({ name, description, isSecret, isRequired }): Field<Driver> => ({
						name: PREFIX + name,
						label: () => name,
						hint: () => description,
						type: isSecret ? 'password' : 'text',
						isSecret: true,
						isRequired,
						autocomplete: 'off',
					}),
				),
			],
			submit: 'words.save',
			shows: 'refusals',
			async act({ name }, call) {
				const { id = '', ...given } = call.form;
				const texts = Object.entries(given).filter(([key]) => key.startsWith(PREFIX));
				const Credentials = Object.fromEntries(texts.map(([key, text]) => [key.slice(PREFIX.length), text]));
				const body = Members.of({ format: 'json', value: { Name: name, Credentials } }, CREDENTIALS_BODY);
				const { driver, credentials } = getCredentialsBody(gateway, id, body);
				await gateway.credentials.put(placeOf(call, id), driver.name, credentials);
				return { redirectTo: `${CREDENTIALS}/${id}`, notice: call.say('parties.saved') };
			},
		}),
		...partyPages.detail<Stored>(`${CREDENTIALS}/:id`, 'parties.see', {
			title: ({ id }, { say }) => `${say('parties.credentials')} ${id}`,
			async find(call) {
				const { id } = call.params;
				const stored = isCredentialsId(id) && (await gateway.credentials.find(principalOf(call).ownerId, id));
				return stored ? { ...stored, id } : undefined;
			},
			body(stored, call, { place }) {
				const driver = gateway.findDriver(stored.gateway);
				const shown = driver ? Object.entries(maskCredentials(driver, stored.credentials)) : [];
				const again = new URLSearchParams({ gateway: stored.gateway, id: stored.id }).toString();
				const facts = factsOf<Stored>(
					call,
					[
						['words.gateway', ({ gateway: name }) => name],
						...shown.map(([name, value]) => [() => name, () => value] as const),
						['words.changed', ({ updatedAt }) => updatedAt],
					],
					stored,
				);
				return html`${facts}
${call.viewer.has('credentials.change') && html`<p class="actions"><a class="button" href="${PARTIES}/new-credentials?${again}">${call.say('parties.replace')}</a></p>`}${place('remove')}`;
			},
			actions: {
				remove: {
					right: 'credentials.change',
					text: 'parties.removeCredentialsText',
					submit: 'words.remove',
					tone: 'danger',
					async act({ id }, call) {
						await gateway.credentials.remove(placeOf(call, id));
						return { redirectTo: PARTIES, notice: call.say('parties.removed') };
					},
				},
			},
		}),
	];
}
