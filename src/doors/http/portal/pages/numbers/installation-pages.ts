// The operators' pages about the installation. They only show its state, except that bans can be changed.

import { type Html, html } from '../../../../../base/pages/html.ts';
import type { InstallationView } from '../../../../../people/portal-users/installation.ts';
import type { HttpRooms } from '../../../rooms.ts';
import { badge, emptyState, type Tone, time } from '../../pieces.ts';
import type { AnyPage, PortalCall } from '../../portal-page.ts';
import { accountsBody } from './accounts-body.ts';
import { auditBody } from './audit-body.ts';
import { banPages } from './ban-pages.ts';
import { daemonsBody } from './daemons-body.ts';
import { INSTALLATION, installationPage } from './installation-frame.ts';
import { keysBody } from './keys-body.ts';

const TONES = { ok: 'good', warning: 'busy', problem: 'bad' } as const satisfies Record<string, Tone>;

/** Returns the pages about the installation. Returns no page if `rooms` does not have the state of the installation. */
export function installationPages(rooms: HttpRooms): AnyPage[] {
	const { installation } = rooms;
	if (!installation) return [];
	const page = (
		name: 'accounts' | 'daemons' | 'keys' | 'audit',
		body: (call: PortalCall) => Promise<Html>,
	): AnyPage => ({
		...{ path: `${INSTALLATION}/${name}`, method: 'GET', right: 'installation.see' },
		handle: async (call: PortalCall) =>
			installationPage(call, call.texts.numbers.installation.pages[name], await body(call)),
	});
	return [
		{
			...{ path: INSTALLATION, method: 'GET', right: 'installation.see' },
			async handle(call: PortalCall) {
				const body = html`${await findingsPart(call, installation)}`;
				return installationPage(call, call.texts.numbers.installation.title, body);
			},
		},
		page('accounts', (call) => accountsBody(call, rooms)),
		page('daemons', (call) => daemonsBody(call, installation)),
		page('keys', (call) => keysBody(call, installation)),
		page('audit', (call) => auditBody(call, rooms, installation)),
		...banPages(rooms),
	];
}

async function findingsPart({ texts, language }: PortalCall, installation: InstallationView): Promise<Html> {
	const words = texts.numbers.installation;
	const { findings, atMs } = await installation.findings();
	const inState = (state: keyof typeof TONES) => findings.filter((finding) => finding.state === state);
	const [problems, warnings] = [inState('problem'), inState('warning')];
	const isWell = problems.length + warnings.length === 0;
	const said = words.notWell
		.replace('{problems}', String(problems.length))
		.replace('{warnings}', String(warnings.length));
	// Problems come first, then warnings, each with what to do about it.
	const items = [...problems, ...warnings, ...inState('ok')].map(
		({ part, state, says, todo }) => html`<div class="finding ${TONES[state]}">
<p>${badge(TONES[state], words.states[state])} <span lang="en"><strong>${part}</strong>: ${says}</span></p>
${todo !== undefined && html`<p>${words.todo.replace('{todo}', '')}<span lang="en">${todo}</span></p>`}</div>
`,
	);
	return html`<p class="notice ${isWell ? 'good' : problems.length > 0 ? 'bad' : 'busy'}" role="status"><strong>${isWell ? words.well : said}</strong></p>
<h2>${words.findings}</h2>
${items.length > 0 ? items : emptyState(texts.numbers.none)}<p><small>${words.checkedAt}: ${time(atMs, language)}</small></p>
`;
}
