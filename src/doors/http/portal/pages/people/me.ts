// The page on which users see and change their own password, second factors and sessions, and see their latest logins.

import { type Html, html } from '../../../../../base/pages/html.ts';
import { fillText } from '../../../../../base/pages/languages/index.ts';
import {
	PasswordError,
	type Portal,
	type Renewed,
	type ShownFactors,
} from '../../../../../people/portal-users/portal.ts';
import { definitions, field, form, notice, table, time } from '../../pieces.ts';
import type { PortalAnswer, PortalCall, PortalPage } from '../../portal-page.ts';
import { clientOf, keepSession } from './session-cookie.ts';

export const ME_HELP = '/docs/portal#my-settings';
const LOGINS_SHOWN = 20;

/** Gives the browser the cookie of the new session after a change, and goes back to the settings with a message. */
export function renewed(call: PortalCall, change: Renewed, said: string): PortalAnswer {
	keepSession(call, change.session);
	return { redirectTo: '/portal/me', notice: said };
}

export function mePages({ portal }: { readonly portal: Portal }): PortalPage[] {
	const { own, sessions, login } = portal;

	const mePage = async (call: PortalCall, problems: Readonly<Record<string, string>> = {}): Promise<PortalAnswer> => {
		const { viewer, texts } = call;
		const { me, roles } = texts.people;
		const factors = await own.factors(viewer);
		const body = html`${viewer.session.mustAddFactor && notice('bad', me.mustAdd)}${definitions([
			[me.name, viewer.user.name],
			viewer.account ? [me.account, viewer.account.userId] : [me.operator, viewer.actor.userId],
			[me.role, roles[viewer.role]],
		])}${passwordPart(call, problems)}${factorsPart(call, factors, own.canHavePasskeys())}${await sessionsPart(call)}${await historyPart(call)}`;
		const isRefused = Object.keys(problems).length > 0;
		return { page: { title: me.title, section: 'me', body, help: ME_HELP }, status: isRefused ? 400 : 200 };
	};
	const sessionsPart = async (call: PortalCall): Promise<Html> => {
		const { me, people } = call.texts.people;
		const list = await sessions.list(call.viewer);
		const rows = list.map(({ id, address, agent, createdAt, seenAt, hasSecondFactor }) => [
			agent || '?',
			address,
			time(createdAt, call.language),
			time(seenAt, call.language),
			hasSecondFactor ? people.yes : people.no,
			id === call.viewer.session.id
				? me.thisOne
				: form(call, {
						action: '/portal/me/sessions/end',
						body: html`<input type="hidden" name="id" value="${id}">`,
						submit: me.end,
						tone: 'plain',
					}),
		]);
		const head = [me.browser, me.address, me.since, me.seen, people.factor, me.end];
		const others = form(call, { action: '/portal/me/sessions/end', body: '', submit: me.endOthers, tone: 'danger' });
		return html`<section><h2>${me.sessions}</h2>${table({ caption: me.sessions, head, rows })}${rows.length > 1 && others}</section>
`;
	};
	const historyPart = async (call: PortalCall): Promise<Html> => {
		const { me, ways, results } = call.texts.people;
		const logins = await login.history(call.viewer, { limit: LOGINS_SHOWN });
		const rows = logins.map(({ at, address, agent, way, result }) => [
			...[time(at, call.language), ways[way], results[result], address, agent],
		]);
		const head = [me.time, me.way, me.result, me.address, me.browser];
		return html`<section><h2>${me.history}</h2>${table({ caption: me.history, head, rows })}</section>
`;
	};

	return [
		{ path: '/portal/me', method: 'GET', right: 'signed-in', handle: (call) => mePage(call) },
		{
			...{ path: '/portal/me/password', method: 'POST', right: 'signed-in' },
			async handle(call) {
				const { present = '', password = '', repeat = '' } = call.form;
				const { problems, me } = call.texts.people;
				if (password !== repeat) return mePage(call, { repeat: problems.different });
				try {
					const change = await own.setPassword(call.viewer, present, password, clientOf(call));
					return change ? renewed(call, change, me.changed) : mePage(call, { present: problems.present });
				} catch (error) {
					if (!(error instanceof PasswordError)) throw error;
					return mePage(call, { password: problems[error.why] });
				}
			},
		},
		{
			...{ path: '/portal/me/sessions/end', method: 'POST', right: 'signed-in' },
			async handle(call) {
				const { id } = call.form;
				if (id === undefined) await sessions.endOthers(call.viewer);
				else await sessions.end(call.viewer, id);
				return { redirectTo: '/portal/me', notice: call.texts.people.me.sessionEnded };
			},
		},
	];
}

function passwordPart(call: PortalCall, problems: Readonly<Record<string, string>>): Html {
	const { me, enter } = call.texts.people;
	const parts = { type: 'password', isRequired: true, maxLength: 512 } as const;
	const present = { ...parts, name: 'present', label: me.present, autocomplete: 'current-password' };
	const next = { ...parts, name: 'password', label: enter.password, hint: enter.hint, autocomplete: 'new-password' };
	const repeat = { ...parts, name: 'repeat', label: enter.repeat, autocomplete: 'new-password' };
	return html`<section><h2>${me.passwordTitle}</h2>${form(call, {
		action: '/portal/me/password',
		body: [present, next, repeat].map((each) => field({ ...each, problem: problems[each.name] })),
		submit: me.change,
	})}</section>
`;
}

function factorsPart(
	call: PortalCall,
	{ hasApp, passkeys, recoveryCodesLeft }: ShownFactors,
	canHavePasskeys: boolean,
): Html {
	const { me } = call.texts.people;
	const remove = (action: string, label: string, id?: number) =>
		form(call, {
			...{ action, submit: label, tone: 'danger' },
			body: id !== undefined && html`<input type="hidden" name="id" value="${id}">`,
		});
	const rows = passkeys.map(({ id, label, createdAt, usedAt }) => [
		label,
		time(createdAt, call.language),
		usedAt && time(usedAt, call.language),
		remove('/portal/me/passkey/remove', me.remove, id),
	]);
	const app = hasApp
		? html`<p>${me.appOn}</p>${remove('/portal/me/app/remove', me.removeApp)}`
		: html`<p>${me.appOff}</p>${form(call, { action: '/portal/me/app', body: '', submit: me.addApp })}`;
	const head = [me.passkeyLabel, me.created, me.used, me.remove];
	const hasFactor = hasApp || passkeys.length > 0;
	const recovery = html`<h3>${me.recovery}</h3><p>${fillText(me.recoveryLeft, { count: recoveryCodesLeft })}</p>
${form(call, { action: '/portal/me/recovery', body: '', submit: me.makeRecovery, tone: 'plain' })}`;
	return html`<section><h2>${me.factorsTitle}</h2><p>${me.factorsHint}</p>
<h3>${me.app}</h3>${app}
<h3>${me.passkeys}</h3>${rows.length === 0 ? html`<p>${me.noPasskeys}</p>` : table({ caption: me.passkeys, head, rows })}<p>${canHavePasskeys ? html`<a href="/portal/me/passkey">${me.addPasskey}</a>` : me.noHost}</p>
${hasFactor && recovery}</section>
`;
}
