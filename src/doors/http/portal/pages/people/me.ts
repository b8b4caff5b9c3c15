// The page on which users see and change their own password, second factors and sessions, and see their latest logins.

import { type Html, html } from '../../../../../base/pages/html.ts';
import { PasswordError, type Portal, type ShownFactors } from '../../../../../people/portal-users/portal.ts';
import type { Place } from '../../kinds/actions.ts';
import { tableOf } from '../../kinds/columns.ts';
import type { Field } from '../../kinds/form-part.ts';
import { pagesOf } from '../../kinds/pages-of.ts';
import { chosenZone, keepZone, ZONES } from '../../look/zone.ts';
import type { PortalParts } from '../../parts.ts';
import { form, notice } from '../../pieces.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import { RefusedFormError } from '../../refusals.ts';
import { clientOf } from '../../session-cookie.ts';
import { deviceName } from './device-name.ts';
import { factorActions, factorPages, factorsPart, ME, renewed } from './my-factors.ts';

const LOGINS_SHOWN = 20;
const { detail } = pagesOf({ section: 'me', help: '/docs/portal#my-settings' });
const SECRET = { type: 'password', isRequired: true, maxLength: 512 } as const;
const PASSWORDS: readonly Field<unknown>[] = [
	{ ...SECRET, name: 'present', label: 'me.present', autocomplete: 'current-password' },
	{ ...SECRET, name: 'password', label: 'enter.password', hint: 'enter.hint', autocomplete: 'new-password' },
	{ ...SECRET, name: 'repeat', label: 'enter.repeat', autocomplete: 'new-password' },
];

export function mePages(parts: Pick<PortalParts, 'portal'>): PortalPage[] {
	const { portal } = parts;
	const { own, sessions } = portal;
	return [
		...detail<ShownFactors>(ME, 'signed-in', {
			title: 'frame.sections.me',
			find: (call) => own.factors(call.viewer),
			facts: [
				['words.name', (_, { viewer }) => viewer.user.name],
				['words.account', (_, { viewer }) => viewer.account?.userId],
				['roles.operator', (_, { viewer }) => (viewer.account ? undefined : viewer.actor.userId)],
				['me.role', (_, { viewer, say }) => say(`roles.${viewer.role}`)],
			],
			actions: {
				password: { fields: PASSWORDS, submit: 'me.change', act: (_, call) => changePassword(call, portal) },
				'sessions/end': {
					submit: 'me.end',
					tone: 'plain',
					async act(_, { form: { id }, viewer }) {
						await (id === undefined ? sessions.endOthers(viewer) : sessions.end(viewer, id));
						return 'me.sessionEnded';
					},
				},
				zone: {
					fields: [
						{
							name: 'zone',
							label: 'words.timeZone',
							value: (_, { request }) => chosenZone(request) ?? '',
							choices: (_, { say }) => [['', say('me.zoneOfBrowser')], ...ZONES.map((name) => [name, name] as const)],
						},
					],
					submit: 'me.saveZone',
					tone: 'plain',
					async act(_, call) {
						keepZone(call, call.form.zone ?? '');
						return 'me.zoneSaved';
					},
				},
				...factorActions(portal),
			},
			body: async (factors, call, { facts, place }) => [
				call.viewer.session.mustAddFactor && notice('bad', call.say('me.mustAdd')),
				facts,
				factors.hasPassword &&
					html`<section><h2>${call.say('words.password')}</h2>${place('password')}</section>
`,
				factorsPart(call, factors, place, own.canHavePasskeys()),
				html`<section><h2>${call.say('me.zoneTitle')}</h2>${place('zone')}</section>
`,
				await sessionsPart(call, portal, place),
				await historyPart(call, portal),
			],
		}),
		...factorPages(parts),
	];
}

async function changePassword(call: PortalCall, { own }: Portal) {
	const { present = '', password = '', repeat = '' } = call.form;
	const { say } = call;
	if (password !== repeat) throw new RefusedFormError({ repeat: say('problems.different') });
	try {
		const change = await own.setPassword(call.viewer, present, password, clientOf(call));
		if (change) return renewed(call, change, 'me.changed');
	} catch (error) {
		if (!(error instanceof PasswordError)) throw error;
		throw new RefusedFormError({ password: say(`problems.${error.why}`) });
	}
	throw new RefusedFormError({ present: say('problems.present') });
}

async function sessionsPart(call: PortalCall, { sessions }: Portal, place: Place): Promise<Html> {
	const { say, viewer } = call;
	const open = await sessions.list(viewer);
	const table = tableOf<(typeof open)[number]>(
		call,
		{
			caption: 'me.sessions',
			isCaptionUnseen: true,
			columns: [
				['me.browser', ({ agent }, call) => devicePart(call, agent) ?? '?'],
				['words.address', ({ address }) => address],
				['words.since', ({ createdAt }) => createdAt],
				['me.seen', ({ seenAt }) => seenAt],
				['words.secondFactor', ({ hasSecondFactor }) => say(hasSecondFactor ? 'words.yes' : 'words.no')],
				['me.end', ({ id }) => (id === viewer.session.id ? say('me.thisOne') : place('sessions/end', { id }))],
			],
		},
		open,
	);
	const others = form(call, { action: `${ME}/sessions/end`, body: '', submit: say('me.endOthers'), tone: 'danger' });
	return html`<section><h2>${say('me.sessions')}</h2>${table}${open.length > 1 && others}</section>
`;
}

/** Returns the name of a device; on a closer look, all that it says of itself. */
function devicePart({ say }: PortalCall, agent: string): Html | undefined {
	return agent === '' ? undefined : html`<span title="${agent}">${deviceName(agent, say)}</span>`;
}

async function historyPart(call: PortalCall, { login }: Portal): Promise<Html> {
	const logins = await login.history(call.viewer, { limit: LOGINS_SHOWN });
	const table = tableOf<(typeof logins)[number]>(
		call,
		{
			caption: 'me.history',
			isCaptionUnseen: true,
			columns: [
				['words.time', ({ at }) => new Date(at)],
				['me.way', ({ way }, { say }) => say(`ways.${way}`)],
				['me.result', ({ result }, { say }) => say(`results.${result}`)],
				['words.address', ({ address }) => address],
				['me.browser', ({ agent }, call) => devicePart(call, agent)],
			],
			none: 'words.none',
		},
		logins,
	);
	return html`<section><h2>${call.say('me.history')}</h2>${table}</section>
`;
}
