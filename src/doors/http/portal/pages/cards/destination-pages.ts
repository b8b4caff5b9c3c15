// Shows, checks, saves and removes the SFTP destinations of an account. Secrets are never shown, so each change needs
// them again.

import { maskCardNumbers } from '../../../../../base/log/card-numbers.ts';
import { html } from '../../../../../base/pages/html.ts';
import { checkDestination } from '../../../../../work/relay/partners/destination-check.ts';
import type { HttpRooms } from '../../../rooms.ts';
import { definitions, field, form, notice, textField, time } from '../../parts.ts';
import type { PortalAnswer, PortalCall, PortalPage } from '../../portal-page.ts';
import { notThere, principalOf, refusalsOf } from './own.ts';
import { PARTIES, PARTIES_HELP } from './parties.ts';

const DESTINATIONS = `${PARTIES}/destinations` as const;
const SHOWN = ['name', 'host', 'port', 'userName', 'folder', 'hostKeys'] as const;
type Shown = Readonly<Partial<Record<(typeof SHOWN)[number], string>>>;

export function destinationPages(rooms: HttpRooms): PortalPage[] {
	const { destinations, audit, settings, thirdParties } = rooms;
	const ownerOf = (call: PortalCall) => {
		const { ownerId: accountId, userId } = principalOf(call);
		return { accountId, userId };
	};
	const findOwn = async (call: PortalCall) => {
		const all = await destinations.list(ownerOf(call).accountId);
		const found = all.find(({ name }) => name === call.params.name);
		if (!found) throw notThere();
		return found;
	};
	const show = async (call: PortalCall, refusal?: string): Promise<PortalAnswer> => {
		const found = await findOwn(call);
		const { parties: words } = call.texts.cards;
		const path = `${DESTINATIONS}/${found.name}`;
		const login = found.hasPrivateKey ? words.privateKey : words.password;
		const body = html`${refusal !== undefined && notice('bad', refusal)}${definitions([
			[words.host, `${found.host}:${found.port}`],
			[words.user, found.userName],
			[words.folder, found.folder],
			[words.hostKeys, found.hostKeys.join(' ') || words.noHostKey],
			[words.login, login],
			[words.changed, time(found.updatedAt, call.language)],
		])}
${call.viewer.has('parties.change') && form(call, { action: `${path}/check`, submit: words.check, tone: 'plain', body: html`<p>${words.checkText}</p>` })}
${
	call.viewer.has('credentials.change') &&
	html`<h2>${words.change}</h2>${fields(call, { ...found, port: String(found.port), hostKeys: found.hostKeys.join(' ') })}
<h2>${words.remove}</h2>${form(call, { action: `${path}/remove`, submit: words.remove, tone: 'danger', body: html`<p>${words.removeDestinationText}</p>` })}`
}`;
		const title = `${words.destination} ${found.name}`;
		return { page: { title, section: 'parties', body, help: PARTIES_HELP }, status: refusal === undefined ? 200 : 400 };
	};
	return [
		{
			path: `${PARTIES}/new-destination`,
			method: 'GET',
			right: 'credentials.change',
			handle: async (call) => newPage(call, {}),
		},
		{ path: `${DESTINATIONS}/:name`, method: 'GET', right: 'parties.see', handle: (call) => show(call) },
		{
			path: `${DESTINATIONS}/save`,
			method: 'POST',
			right: 'credentials.change',
			async handle(call) {
				const { password, privateKey, passphrase } = call.form;
				const shown: Shown = Object.fromEntries(SHOWN.map((name) => [name, call.form[name]?.trim() ?? '']));
				const hostKeys = (shown.hostKeys ?? '').split(/\s+/).filter((text) => text !== '');
				let saved = '';
				const refusals = await refusalsOf(async () => {
					const text = JSON.stringify({ ...shown, port: shown.port || '22', hostKeys });
					const secrets = { password, privateKey: privateKey?.replaceAll('\r\n', '\n'), passphrase };
					const given = Object.fromEntries(Object.entries(secrets).filter(([, value]) => value));
					const owner = ownerOf(call);
					const document = await thirdParties.bodies.parseDestination(owner.accountId, text, given);
					saved = (await destinations.put(owner, document, call.viewer.actor)).name;
				});
				if (refusals) return newPage(call, shown, Object.values(refusals).join('; '));
				return { redirectTo: `${DESTINATIONS}/${saved}`, notice: call.texts.cards.parties.saved };
			},
		},
		{
			path: `${DESTINATIONS}/:name/check`,
			method: 'POST',
			right: 'parties.change',
			async handle(call) {
				const { name } = await findOwn(call);
				const { parties: words } = call.texts.cards;
				const { actor } = call.viewer;
				const { allowPrivate = false } = settings;
				let said = '';
				const work = async () => {
					const checked = await checkDestination(name, {
						destinations,
						audit,
						owner: ownerOf(call),
						actor,
						allowPrivate,
					});
					said = `${checked.entries === null ? words.showsKey : words.isGood} ${checked.hostKey}`;
				};
				const refusals = await refusalsOf(work, { takesOthers: true });
				if (refusals) return show(call, Object.values(refusals).join('; '));
				return { redirectTo: `${DESTINATIONS}/${name}`, notice: said };
			},
		},
		{
			path: `${DESTINATIONS}/:name/remove`,
			method: 'POST',
			right: 'credentials.change',
			async handle(call) {
				const { name } = await findOwn(call);
				if (!(await destinations.remove(ownerOf(call), name, call.viewer.actor))) throw notThere();
				return { redirectTo: PARTIES, notice: call.texts.cards.parties.removed };
			},
		},
	];
}

function newPage(call: PortalCall, shown: Shown, refusal?: string): PortalAnswer {
	const { parties: words } = call.texts.cards;
	// The error names lines and columns of a JSON text. The portal made this text from the form and nobody has seen it,
	// so the lines and columns are left out.
	const said = refusal?.replace(/line \d+, column \d+: /g, '');
	const body = html`${said !== undefined && notice('bad', html`<span class="lines">${said}</span>`)}${fields(call, shown)}`;
	const page = { title: words.newDestination, section: 'parties', body, help: PARTIES_HELP } as const;
	return { page, status: refusal === undefined ? 200 : 400 };
}

function fields(call: PortalCall, shown: Shown) {
	const { parties: words } = call.texts.cards;
	const value = (name: keyof Shown) => ({ name, value: maskCardNumbers(shown[name] ?? ''), autocomplete: 'off' });
	return form(call, {
		action: `${DESTINATIONS}/save`,
		submit: words.save,
		body: html`${field({ ...value('name'), label: words.name, hint: words.nameHint, isRequired: true })}
${field({ ...value('host'), label: words.host, isRequired: true })}
${field({ ...value('port'), label: words.port, type: 'number' })}
${field({ ...value('userName'), label: words.user, isRequired: true })}
${field({ ...value('folder'), label: words.folder })}
${field({ ...value('hostKeys'), label: words.hostKeys, hint: words.hostKeysHint })}
${field({ name: 'password', label: words.password, type: 'password', hint: words.secretHint, autocomplete: 'new-password' })}
${textField({ name: 'privateKey', label: words.privateKey, rows: 4 })}
${field({ name: 'passphrase', label: words.passphrase, type: 'password', autocomplete: 'new-password' })}`,
	});
}
