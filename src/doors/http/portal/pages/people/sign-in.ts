// The pages on which people sign in: name and password, then a second factor. No page says why a login failed.

import { html } from '../../../../../base/pages/html.ts';
import { readJson } from '../../../../../base/read-json.ts';
import type { LoginAnswer } from '../../../../../people/portal-users/portal.ts';
import { PROVIDER_PATH } from '../../../../../people/portal-users/sso/providers.ts';
import { readCookie, removeCookie } from '../../cookies.ts';
import { type FormKind, formPart, hiddenFields } from '../../kinds/form-part.ts';
import { pagesOf } from '../../kinds/pages-of.ts';
import type { PortalParts } from '../../parts.ts';
import { notice } from '../../pieces.ts';
import { type AnyPage, get, type OpenCall, type PortalAnswer, post } from '../../portal-page.ts';
import { clientOf, keepSession, nextOf } from '../../session-cookie.ts';
import { passkeyPart, passkeyScripts, providersPart } from '../../ways-in.ts';

const { page } = pagesOf({ section: 'me', help: '/docs/portal#signing-in' });
const LOGIN_PATH = '/portal/login';
const FACTOR_PATH = `${LOGIN_PATH}/factor` as const;
const ALONE_PATH = `${LOGIN_PATH}/alone` as const;
const MAX_NAME = 254;
const MAX_PASSWORD = 512;

const LOGIN: FormKind<null, OpenCall> = {
	fields: [
		{ isRequired: true, name: 'name', label: 'login.name', autocomplete: 'username', maxLength: MAX_NAME },
		{
			isRequired: true,
			name: 'password',
			label: 'words.password',
			type: 'password',
			autocomplete: 'current-password',
			maxLength: MAX_PASSWORD,
		},
	],
	submit: 'words.signIn',
};

const CODE: FormKind<null, OpenCall> = {
	fields: [
		{
			isRequired: true,
			name: 'code',
			label: 'factor.code',
			hint: 'factor.codeHint',
			autocomplete: 'one-time-code',
			maxLength: 40,
		},
	],
	submit: 'words.confirm',
};

export function signInPages({ portal, mails }: Pick<PortalParts, 'portal' | 'mails'>): AnyPage[] {
	const { login, byPasskey, sessions, signOn } = portal;

	/** Says to somebody who came by a provider and has signed out here that they have not signed out there. */
	const leftPart = ({ say, query: { left } }: OpenCall) =>
		signOn
			.list()
			.filter(({ name }) => name === left)
			.map(({ name, label: provider }) => {
				const leave = html`<p><a href="${PROVIDER_PATH}${name}/leave">${say('sso.leave', { provider })}</a></p>\n`;
				return html`${notice('plain', say('sso.left', { provider }))}${leave}`;
			});
	const loginPage = (call: OpenCall, problem?: string): PortalAnswer => {
		const { say } = call;
		const told = problem ?? (call.query.ended === undefined ? undefined : say('frame.ended'));
		const alone = `${ALONE_PATH}?${new URLSearchParams({ next: nextOf(call) })}`;
		const ways = providersPart(call, signOn.list(), {
			path: ({ name }) => `${PROVIDER_PATH}${name}/start?${new URLSearchParams({ next: nextOf(call) })}`,
			text: 'sso.with',
		});
		const body = html`${leftPart(call)}${told !== undefined && notice(problem === undefined ? 'plain' : 'bad', told)}${ways}${formPart(call, LOGIN, null, { action: LOGIN_PATH, hidden: { next: nextOf(call) } })}${byPasskey.isOpen() && html`<p><a href="${alone}">${say('login.passkey')}</a></p>\n`}${mails.isOpen && html`<p><a href="/portal/forgotten">${say('login.forgotten')}</a></p>`}
<p class="hint">${say('login.noAccess')}</p>
`;
		return page({ title: say('words.signIn'), body, status: problem === undefined ? 200 : 401 });
	};
	/** The page on which somebody without a password uses a passkey. */
	const alonePage = async (call: OpenCall, problem?: string): Promise<PortalAnswer> => {
		const { say } = call;
		const hidden = hiddenFields({ next: nextOf(call) });
		const passkey = { action: ALONE_PATH, body: hidden, label: say('factor.passkey') };
		const body = html`${problem !== undefined && notice('bad', problem)}${passkeyPart(call, passkey)}<p><a href="${LOGIN_PATH}">${say('factor.again')}</a></p>
`;
		return page({
			title: say('login.passkey'),
			body,
			scripts: passkeyScripts(),
			data: { request: await byPasskey.request() },
			status: problem === undefined ? 200 : 401,
		});
	};
	const factorPage = async (call: OpenCall, problem?: string): Promise<PortalAnswer> => {
		const { say } = call;
		const cookie = readCookie(call.request, 'session');
		const ways = await login.findWays(cookie);
		if (!ways) return overPage(call);
		const request = ways.hasPasskeys ? await login.passkeyRequest(cookie) : undefined;
		const hidden = { next: nextOf(call) };
		const passkey = { action: `${LOGIN_PATH}/passkey`, body: hiddenFields(hidden), label: say('factor.passkey') };
		const body = html`${problem === undefined ? html`<p>${say('factor.hint')}</p>` : notice('bad', problem)}${request && passkeyPart(call, passkey)}${formPart(call, CODE, null, { action: FACTOR_PATH, hidden })}<p><a href="${LOGIN_PATH}">${say('factor.again')}</a></p>
`;
		return page({
			title: say('words.secondFactor'),
			body,
			scripts: request ? passkeyScripts() : [],
			data: { request },
			status: problem === undefined ? 200 : 401,
		});
	};
	const overPage = (call: OpenCall): PortalAnswer => {
		const { say } = call;
		const body = html`${notice('bad', say('factor.over'))}<p><a href="${LOGIN_PATH}">${say('factor.again')}</a></p>
`;
		return page({ title: say('words.secondFactor'), body, status: 401 });
	};
	/**
	 * Answers a step of the login that was successful: sets the cookie, and leads to the next step or the requested
	 * page.
	 */
	const goOn = (call: OpenCall, answer: Exclude<LoginAnswer, { state: 'refused' }>): PortalAnswer => {
		keepSession(call, answer.session);
		const next = nextOf(call);
		if (answer.state === 'in') return { redirectTo: next };
		return { redirectTo: `${FACTOR_PATH}?${new URLSearchParams({ next })}` };
	};
	/** Answers a second factor that was refused. Another one may be entered until the session for this step ends. */
	const refuseFactor = (call: OpenCall) => factorPage(call, call.say('login.refused'));

	return [
		get(LOGIN_PATH, 'anyone', async (call) => (call.viewer ? { redirectTo: nextOf(call) } : loginPage(call))),
		post(LOGIN_PATH, 'anyone', async (call) => {
			const { name = '', password = '' } = call.form;
			const answer =
				name.length > MAX_NAME || password.length > MAX_PASSWORD
					? ({ state: 'refused' } as const)
					: await login.byPassword(name, password, clientOf(call));
			// A new login ends the session that the browser had before.
			if (answer.state !== 'refused' && call.viewer) await sessions.logOut(call.viewer);
			return answer.state === 'refused' ? loginPage(call, call.say('login.refused')) : goOn(call, answer);
		}),
		get(FACTOR_PATH, 'anyone', async (call) => (call.viewer ? { redirectTo: nextOf(call) } : factorPage(call))),
		post(FACTOR_PATH, 'anyone', async (call) => {
			const cookie = readCookie(call.request, 'session');
			const answer = await login.byCode(cookie, (call.form.code ?? '').slice(0, 100), clientOf(call));
			return answer.state === 'refused' ? refuseFactor(call) : goOn(call, answer);
		}),
		post(`${LOGIN_PATH}/passkey`, 'anyone', async (call) => {
			const cookie = readCookie(call.request, 'session');
			const answer = await login.byPasskey(cookie, readJson(call.form.answer), clientOf(call));
			return answer.state === 'refused' ? refuseFactor(call) : goOn(call, answer);
		}),
		get(ALONE_PATH, 'anyone', (call) => alonePage(call)),
		post(ALONE_PATH, 'anyone', async (call) => {
			const answer = await byPasskey.byPasskey(readJson(call.form.answer), clientOf(call));
			if (answer.state !== 'refused' && call.viewer) await sessions.logOut(call.viewer);
			return answer.state === 'refused' ? alonePage(call, call.say('login.passkeyRefused')) : goOn(call, answer);
		}),
		post('/portal/logout', 'signed-in', async (call) => {
			await sessions.logOut(call.viewer);
			removeCookie(call, 'session');
			const left = call.viewer.session.visit?.provider;
			return { redirectTo: left === undefined ? LOGIN_PATH : `${LOGIN_PATH}?${new URLSearchParams({ left })}` };
		}),
	];
}
