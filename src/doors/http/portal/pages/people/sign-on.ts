// The pages by which people come in through an OpenID provider, and leave. What has to be kept until they are back stands
// in a cookie of their browser, so that an answer which was meant for another browser lets nobody in.

import { badInput } from '../../../../../base/errors.ts';
import { html } from '../../../../../base/pages/html.ts';
import { readJson } from '../../../../../base/read-json.ts';
import { type PendingSignIn, SignInError } from '../../../../../people/portal-users/sso/provider.ts';
import { PROVIDER_PATH } from '../../../../../people/portal-users/sso/providers.ts';
import type { CameByProvider, ProviderAnswer } from '../../../../../people/portal-users/sso/single-sign-on.ts';
import { readCookie, removeCookie, writeCookie } from '../../cookies.ts';
import { pagesOf } from '../../kinds/pages-of.ts';
import type { PortalParts } from '../../parts.ts';
import { isPortalPath } from '../../paths.ts';
import { notice } from '../../pieces.ts';
import { type AnyPage, get, type OpenCall, type PortalAnswer, type PortalCall, post } from '../../portal-page.ts';
import { notThere } from '../../refusals.ts';
import { clientOf, keepSession, nextOf } from '../../session-cookie.ts';

const { page } = pagesOf({ section: 'me', help: '/docs/portal#signing-in-at-a-provider' });
const LOGIN_PATH = '/portal/login';
const BACK = `${PROVIDER_PATH}:provider` as const;
/** Somebody who signs in at a provider may take this long. */
const SECONDS = 900;
const MAX_TOKEN = 16_384;

/** Why somebody who has come back is not let in, with the status of the page that says so. */
const STATUSES = { stranger: 403, taken: 403, refused: 401, notConfirmed: 401, over: 401, unreachable: 503 } as const;
type Why = keyof typeof STATUSES;
const WHYS = Object.keys(STATUSES) as Why[];

/** What a browser keeps while its user is at a provider. */
interface Kept {
	readonly provider: string;
	readonly pending: PendingSignIn;
	/** Why the person went there: to sign in, to set up the user of a link, or to confirm that it is them. */
	readonly purpose: 'enter' | 'link' | 'confirm';
	readonly next: string;
	readonly secret?: string;
}

export function signOnPages({ portal, settings }: Pick<PortalParts, 'portal' | 'settings'>): AnyPage[] {
	const { signOn, sessions } = portal;
	const labelOf = (name: string | undefined) => signOn.list().find((each) => each.name === name)?.label ?? '';

	const outPage = ({ say, params }: OpenCall, why: Why): PortalAnswer => {
		const text = say(`sso.${why}`, { provider: labelOf(params.provider) });
		const body = html`${notice('bad', text)}<p><a href="${LOGIN_PATH}">${say('factor.again')}</a></p>
`;
		return page({ title: say('words.signIn'), body, status: STATUSES[why] });
	};
	/** Leads to the page that says why somebody was not let in, so that no address that is shown has the code of an answer. */
	const out = ({ params }: OpenCall, why: Why): PortalAnswer => ({
		redirectTo: `${PROVIDER_PATH}${encodeURIComponent(params.provider)}/out?${new URLSearchParams({ why })}`,
	});
	/** Sends the browser to the provider that the path names. */
	const go = async (call: OpenCall, kept: Pick<Kept, 'purpose' | 'next' | 'secret'>): Promise<PortalAnswer> => {
		const { provider } = call.params;
		const begun = await signOn.begin(provider, { isFresh: kept.purpose === 'confirm' });
		if (!begun) throw notThere();
		const whole: Kept = { ...kept, provider, pending: begun.pending };
		writeCookie(call, 'sign-on', Buffer.from(JSON.stringify(whole)).toString('base64url'), SECONDS);
		return leadTo(begun.url);
	};
	/** Answers a request for which the provider is asked first, and says so if it cannot be reached. */
	const reaching = async (call: OpenCall, work: Promise<PortalAnswer>): Promise<PortalAnswer> => {
		try {
			return await work;
		} catch (error) {
			if (!(error instanceof SignInError)) throw error;
			return outPage(call, 'unreachable');
		}
	};
	/** Answers somebody who has come back: goes on, or says what is wrong. */
	const came = async (call: OpenCall, { next }: Kept, answer: CameByProvider): Promise<PortalAnswer> => {
		if (!('session' in answer)) return out(call, answer.state);
		if (call.viewer) await sessions.logOut(call.viewer);
		keepSession(call, answer.session);
		const goal = isPortalPath(next) ? next : '/portal';
		if (answer.state === 'in') return { redirectTo: goal };
		return { redirectTo: `${LOGIN_PATH}/factor?${new URLSearchParams({ next: goal })}` };
	};
	const leave = async ({ params }: OpenCall): Promise<PortalAnswer> => {
		const url = await signOn.leave(params.provider, `${settings.baseUrl}${LOGIN_PATH}`);
		return url ? leadTo(url) : { redirectTo: LOGIN_PATH };
	};
	const confirmed = async (call: PortalCall, kept: Kept, answer: ProviderAnswer): Promise<PortalAnswer> => {
		const done = await signOn.confirm(call.viewer, kept.provider, answer, clientOf(call));
		if (done.state !== 'in') return out(call, 'notConfirmed');
		const goal = isPortalPath(kept.next) ? kept.next : '/portal';
		keepSession(call, done.session);
		return { redirectTo: goal, notice: call.say('sso.confirmed') };
	};

	return [
		get(`${BACK}/start`, 'anyone', (call) => reaching(call, go(call, { purpose: 'enter', next: nextOf(call) }))),
		get('/portal/enter/:secret/by/:provider', 'anyone', (call) =>
			reaching(call, go(call, { purpose: 'link', next: '/portal', secret: call.params.secret })),
		),
		get(`${BACK}/confirm`, 'signed-in', (call) => reaching(call, go(call, { purpose: 'confirm', next: nextOf(call) }))),
		get(BACK, 'anyone', async (call) => {
			const kept = takeKept(call);
			if (kept?.provider !== call.params.provider) return out(call, 'over');
			const answer = { query: new URL(call.request.url, 'http://portal').searchParams, pending: kept.pending };
			if (kept.purpose === 'confirm')
				return call.viewer ? confirmed(call as PortalCall, kept, answer) : out(call, 'over');
			const { provider, purpose, secret = '' } = kept;
			const client = clientOf(call);
			const outcome =
				purpose === 'link'
					? await signOn.enterByLink(provider, answer, secret, client)
					: await signOn.enter(provider, answer, client);
			return came(call, kept, outcome);
		}),
		get(`${BACK}/out`, 'anyone', async (call) =>
			outPage(call, WHYS.find((why) => why === call.query.why) ?? 'refused'),
		),
		get(`${BACK}/leave`, 'anyone', (call) => reaching(call, leave(call))),
		// The provider has the browser ask for this in a frame without cookies; the name of the session is all there is.
		get(`${BACK}/ended`, 'anyone', async ({ params, query: { iss, sid } }) => {
			if (iss !== undefined && sid !== undefined) await signOn.endedInBrowser(params.provider, iss, sid);
			return done;
		}),
		post(`${BACK}/ended`, 'anyone', async ({ params, form: { logout_token: token = '' } }) => {
			try {
				await signOn.endedByToken(params.provider, token.slice(0, MAX_TOKEN));
				return done;
			} catch (error) {
				if (!(error instanceof SignInError)) throw error;
				throw badInput('logout_token', 'is not valid');
			}
		}),
	];
}

const done: PortalAnswer = { send: (reply) => reply.code(200).header('cache-control', 'no-store').send() };

/** Leads to an address outside of the portal, which only a provider in a file of the operator has named. */
function leadTo(url: URL): PortalAnswer {
	return {
		send: (reply) =>
			reply
				.code(303)
				.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', location: url.href })
				.send(),
	};
}

/** Returns what the browser has kept, and removes it, so that it serves once. */
function takeKept(call: OpenCall): Kept | undefined {
	const cookie = readCookie(call.request, 'sign-on');
	if (cookie === undefined) return undefined;
	removeCookie(call, 'sign-on');
	const kept = readJson(Buffer.from(cookie, 'base64url').toString()) as Partial<Kept> | null | undefined;
	const { state, nonce, verifier } = kept?.pending ?? {};
	const isWhole = [kept?.provider, kept?.next, state, nonce, verifier].every((each) => typeof each === 'string');
	return isWhole && typeof (kept?.secret ?? '') === 'string' ? (kept as Kept) : undefined;
}
