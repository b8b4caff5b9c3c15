// Shows, checks, saves and removes the SFTP destinations of an account. Secrets are never shown, so each change needs
// them again.

import { ServiceError } from '../../../../../base/errors.ts';
import { html } from '../../../../../base/pages/html.ts';
import { checkDestination } from '../../../../../work/relay/partners/destination-check.ts';
import type { StoredDestination } from '../../../../../work/relay/partners/destinations.ts';
import { type Field, type FormKind, formPart } from '../../kinds/form-part.ts';
import { principalOf } from '../../own.ts';
import type { PortalParts } from '../../parts.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import { notThere } from '../../refusals.ts';
import type { TextKey } from '../../texts.ts';
import { PARTIES, partyPages } from './parties.ts';

const DESTINATIONS = `${PARTIES}/destinations` as const;
const SHOWN = ['name', 'host', 'port', 'userName', 'folder', 'hostKeys'] as const;

type Stored = StoredDestination | null;

/** Returns a field with what is stored of a destination; it is empty for a new one. */
function kept(name: (typeof SHOWN)[number], label: TextKey, more: Partial<Field<Stored>> = {}): Field<Stored> {
	const value = (stored: Stored) => [stored?.[name] ?? ''].flat().join(' ');
	return { name, label, value, autocomplete: 'off', ...more };
}

const SECRET = { type: 'password', autocomplete: 'new-password' } as const;
const FORM: FormKind<Stored> = {
	fields: [
		kept('name', 'parties.name', { hint: 'parties.nameHint', isRequired: true }),
		kept('host', 'parties.host', { isRequired: true }),
		kept('port', 'parties.port', { type: 'number' }),
		kept('userName', 'parties.user', { isRequired: true }),
		kept('folder', 'parties.folder'),
		kept('hostKeys', 'parties.hostKeys', { hint: 'parties.hostKeysHint' }),
		{ ...SECRET, name: 'password', label: 'parties.password', hint: 'parties.secretHint' },
		{ name: 'privateKey', label: 'parties.privateKey', rows: 4, isSecret: true },
		{ ...SECRET, name: 'passphrase', label: 'parties.passphrase' },
	],
	submit: 'parties.save',
};

type Parts = Pick<PortalParts, 'audit' | 'bodies' | 'destinations' | 'settings'>;

export function destinationPages({ audit, bodies, destinations, settings }: Parts): PortalPage[] {
	const ownerOf = (call: PortalCall) => {
		const { ownerId: accountId, userId } = principalOf(call);
		return { accountId, userId };
	};
	return [
		...partyPages.form<null>({
			path: `${PARTIES}/new-destination`,
			sentTo: `${DESTINATIONS}/save`,
			right: 'credentials.change',
			title: 'parties.newDestination',
			find: async () => null,
			...FORM,
			shows: 'refusals',
			async act(_, call) {
				const { password, privateKey, passphrase, hostKeys = '' } = call.form;
				const shown = Object.fromEntries(SHOWN.map((name) => [name, call.form[name]?.trim() ?? '']));
				const keys = hostKeys.split(/\s+/).filter((text) => text !== '');
				const text = JSON.stringify({ ...shown, port: shown.port || '22', hostKeys: keys });
				const secrets = { password, privateKey: privateKey?.replaceAll('\r\n', '\n'), passphrase };
				const given = Object.fromEntries(Object.entries(secrets).filter(([, value]) => value));
				const owner = ownerOf(call);
				const document = await bodies.parseDestination(owner.accountId, text, given).catch(withoutPlaces);
				const { name } = await destinations.put(owner, document, call.viewer.actor);
				return { redirectTo: `${DESTINATIONS}/${name}`, notice: call.say('parties.saved') };
			},
		}),
		...partyPages.detail<StoredDestination>({
			path: `${DESTINATIONS}/:name`,
			right: 'parties.see',
			title: ({ name }, { say }) => `${say('parties.destination')} ${name}`,
			find: async (call) =>
				(await destinations.list(ownerOf(call).accountId)).find(({ name }) => name === call.params.name),
			history: ({ name }) => ({ about: 'destination', name }),
			facts: [
				['parties.host', ({ host, port }) => `${host}:${port}`],
				['parties.user', ({ userName }) => userName],
				['parties.folder', ({ folder }) => folder],
				['parties.hostKeys', ({ hostKeys }, { say }) => hostKeys.join(' ') || say('parties.noHostKey')],
				[
					'parties.login',
					({ hasPrivateKey }, { say }) => say(hasPrivateKey ? 'parties.privateKey' : 'parties.password'),
				],
				['parties.changed', ({ updatedAt }) => updatedAt],
			],
			body: (stored, call, { facts, place }) =>
				html`${facts}${place('check')}${
					call.viewer.has('credentials.change') &&
					html`<h2>${call.say('parties.change')}</h2>${formPart(call, FORM, stored, { action: `${DESTINATIONS}/save` })}
<h2>${call.say('parties.remove')}</h2>${place('remove')}`
				}`,
			actions: {
				check: {
					right: 'parties.change',
					text: 'parties.checkText',
					submit: 'parties.check',
					tone: 'plain',
					shows: 'partners',
					async act({ name }, call) {
						const { allowPrivate = false } = settings;
						const by = { destinations, audit, owner: ownerOf(call), actor: call.viewer.actor, allowPrivate };
						const { entries, hostKey } = await checkDestination(name, by);
						const said = call.say(entries === null ? 'parties.showsKey' : 'parties.isGood');
						return { redirectTo: `${DESTINATIONS}/${name}`, notice: `${said} ${hostKey}` };
					},
				},
				remove: {
					right: 'credentials.change',
					text: 'parties.removeDestinationText',
					submit: 'parties.remove',
					tone: 'danger',
					async act({ name }, call) {
						if (!(await destinations.remove(ownerOf(call), name, call.viewer.actor))) throw notThere();
						return { redirectTo: PARTIES, notice: call.say('parties.removed') };
					},
				},
			},
		}),
	];
}

/**
 * Throws an error about a destination again without the lines and columns that it names: they are those of a text that was
 * made from the form, and nobody has seen it.
 */
function withoutPlaces(error: unknown): never {
	if (!(error instanceof ServiceError) || error.moreInfo === null) throw error;
	throw new ServiceError(error.reason, { moreInfo: error.moreInfo.replace(/line \d+, column \d+: /g, '') });
}
