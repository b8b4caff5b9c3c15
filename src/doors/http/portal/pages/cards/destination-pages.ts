// Shows, checks, saves and removes the destinations of an account. Secrets are never shown, so each change needs
// them again.

import { html } from '../../../../../base/pages/html.ts';
import { addressOf, DESTINATION_KINDS, loginNameOf, pinsOf } from '../../../../../work/relay/partners/destination.ts';
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
const SHOWN = [
	...['name', 'kind', 'folder'],
	...['host', 'port', 'userName', 'hostKeys', 'certificates'],
	...['bucket', 'region', 'endpoint', 'accessKeyId'],
] as const;
/** These are lists, which are typed with blanks between. */
const LISTS = ['hostKeys', 'certificates'];

type Stored = StoredDestination | null;

/** Returns a field with what is stored of a destination; it is empty for a new one. */
function kept(name: string, label: TextKey, more: Partial<Field<Stored>> = {}): Field<Stored> {
	const value = (stored: Stored) =>
		[(stored as Readonly<Record<string, unknown>> | null)?.[name] ?? ''].flat().join(' ');
	return { name, label, value, autocomplete: 'off', ...more };
}

const SECRET = { type: 'password', autocomplete: 'new-password' } as const;
const SERVER = { group: 'parties.ofServer' } as const;
const BUCKET = { group: 'parties.ofBucket' } as const;
const FORM: FormKind<Stored> = {
	fields: [
		kept('name', 'words.name', { hint: 'parties.nameHint', isRequired: true }),
		kept('kind', 'words.kind', { choices: () => DESTINATION_KINDS.map((kind) => [kind, kind.toUpperCase()]) }),
		kept('folder', 'words.folder'),
		kept('host', 'parties.host', SERVER),
		kept('port', 'parties.port', { ...SERVER, type: 'number' }),
		kept('userName', 'parties.user', SERVER),
		kept('hostKeys', 'parties.hostKeys', { ...SERVER, hint: 'parties.hostKeysHint' }),
		kept('certificates', 'parties.certificates', { ...SERVER, hint: 'parties.certificatesHint' }),
		{ ...SECRET, ...SERVER, name: 'password', label: 'words.password', hint: 'parties.secretHint' },
		{ ...SERVER, name: 'privateKey', label: 'parties.privateKey', rows: 4, isSecret: true },
		{ ...SECRET, ...SERVER, name: 'passphrase', label: 'parties.passphrase' },
		kept('bucket', 'parties.bucket', BUCKET),
		kept('region', 'parties.region', BUCKET),
		kept('endpoint', 'parties.endpoint', { ...BUCKET, hint: 'parties.endpointHint' }),
		kept('accessKeyId', 'parties.accessKeyId', BUCKET),
		{ ...SECRET, ...BUCKET, name: 'secretKey', label: 'parties.secretKey', hint: 'parties.secretHint' },
	],
	submit: 'words.save',
};

type Parts = Pick<PortalParts, 'audit' | 'bodies' | 'destinations' | 'routeControls' | 'settings'>;

export function destinationPages({ audit, bodies, destinations, routeControls, settings }: Parts): PortalPage[] {
	const ownerOf = (call: PortalCall) => {
		const { ownerId: accountId, userId } = principalOf(call);
		return { accountId, userId };
	};
	const usersText = async (name: string, call: PortalCall) => {
		const users = await routeControls.usersOf(ownerOf(call).accountId, { kind: 'destination', name });
		return users.length === 0 ? '' : call.say('parties.usedBy', { users: users.join(', ') });
	};
	return [
		...partyPages.form<null>(`${PARTIES}/new-destination`, 'credentials.change', {
			sentTo: `${DESTINATIONS}/save`,
			title: 'parties.newDestination',
			find: async () => null,
			...FORM,
			shows: 'refusals',
			async act(_, call) {
				const { password, privateKey, passphrase, secretKey } = call.form;
				const typed = SHOWN.map((name) => [name, call.form[name]?.trim() ?? ''] as const).filter(([, value]) => value);
				const shown = typed.map(([name, value]) => [name, LISTS.includes(name) ? value.split(/\s+/) : value]);
				const text = JSON.stringify(Object.fromEntries(shown));
				const secrets = { password, privateKey: privateKey?.replaceAll('\r\n', '\n'), passphrase, secretKey };
				const given = Object.fromEntries(Object.entries(secrets).filter(([, value]) => value));
				const owner = ownerOf(call);
				const document = await bodies.parseDestination(owner.accountId, text, given);
				const { name } = await destinations.put(owner, document, call.viewer.actor);
				return { redirectTo: `${DESTINATIONS}/${name}`, notice: call.say('parties.saved') };
			},
		}),
		...partyPages.detail<StoredDestination>(`${DESTINATIONS}/:name`, 'parties.see', {
			title: ({ name }, { say }) => `${say('parties.destination')} ${name}`,
			find: async (call) =>
				(await destinations.list(ownerOf(call).accountId)).find(({ name }) => name === call.params.name),
			history: ({ name }) => ({ about: 'destination', name }),
			facts: [
				['words.kind', ({ kind }) => kind.toUpperCase()],
				['parties.host', addressOf],
				['parties.region', (stored) => (stored.kind === 's3' ? stored.region : undefined)],
				['parties.user', loginNameOf],
				['words.folder', ({ folder }) => folder],
				[
					'parties.hostKeys',
					(stored, { say }) =>
						stored.kind === 'sftp' ? pinsOf(stored).join(' ') || say('parties.noHostKey') : undefined,
				],
				[
					'parties.certificates',
					(stored) => (stored.kind === 'ftps' ? pinsOf(stored).join(' ') || undefined : undefined),
				],
				['parties.login', (stored, { say }) => say(loginText(stored))],
				['words.changed', ({ updatedAt }) => updatedAt],
			],
			body: async (stored, call, { facts, place }) => {
				const users = await usersText(stored.name, call);
				return html`${facts}${place('check')}${
					call.viewer.has('credentials.change') &&
					html`<h2>${call.say('words.change')}</h2>${formPart(call, FORM, stored, { action: `${DESTINATIONS}/save` })}
<h2>${call.say('words.remove')}</h2>${users !== '' && html`<p>${users}</p>`}${place('remove')}`
				}`;
			},
			actions: {
				check: {
					right: 'parties.change',
					text: 'parties.checkText',
					submit: 'parties.check',
					tone: 'plain',
					shows: 'partners',
					async act({ name }, call) {
						const { allowPrivate = false, environment } = settings;
						const who = { owner: ownerOf(call), actor: call.viewer.actor };
						const by = { destinations, audit, ...who, allowPrivate, environment };
						const { entries, hostKey } = await checkDestination(name, by);
						const said = call.say(entries === null ? 'parties.showsKey' : 'parties.isGood');
						const notice = hostKey === null ? call.say('parties.isReached') : `${said} ${hostKey}`;
						return { redirectTo: `${DESTINATIONS}/${name}`, notice };
					},
				},
				remove: {
					right: 'credentials.change',
					text: 'parties.removeDestinationText',
					submit: 'words.remove',
					tone: 'danger',
					async act({ name }, call) {
						const users = await usersText(name, call);
						if (!(await destinations.remove(ownerOf(call), name, call.viewer.actor))) throw notThere();
						return { redirectTo: PARTIES, notice: `${call.say('parties.removed')} ${users}`.trim() };
					},
				},
			},
		}),
	];
}

function loginText({ hasPrivateKey, hasSecretKey }: StoredDestination): TextKey {
	if (hasSecretKey) return 'parties.secretKey';
	return hasPrivateKey ? 'parties.privateKey' : 'words.password';
}
