// Asks people to show their password or a second factor again before they change who gets in (PCI DSS 8.3.3), so that a
// session that was left open, or whose cookie was stolen, is not enough for that.

import { html } from '../../../base/pages/html.ts';
import { readJson } from '../../../base/read-json.ts';
import { type Portal, PROOF_MS, type Proof } from '../../../people/portal-users/portal.ts';
import { RIGHTS_WITH_PROOF, type Right } from '../../../people/portal-users/rights.ts';
import { PROVIDER_PATH } from '../../../people/portal-users/sso/providers.ts';
import { CSRF_FIELD } from './csrf.ts';
import { type FormKind, formPart, hiddenFields } from './kinds/form-part.ts';
import { pageOf } from './kinds/group.ts';
import type { PortalParts } from './parts.ts';
import { isPortalPath } from './paths.ts';
import { notice } from './pieces.ts';
import { type AnyPage, type PortalAnswer, type PortalCall, post } from './portal-page.ts';
import { clientOf, inNewSession, nextOf } from './session-cookie.ts';
import { PASSKEY_ANSWER, passkeyPart, passkeyScripts, providersPart } from './ways-in.ts';

const CONFIRM_PATH = '/portal/confirm';
const WAY = 'proof';
const SECRETS = { password: 'proof-password', app: 'proof-code' } as const;
const OF_PROOF: ReadonlySet<string> = new Set([CSRF_FIELD, WAY, ...Object.values(SECRETS), PASSKEY_ANSWER]);
const MAX_SECRET = 512;

const TYPED = { isRequired: true, maxLength: MAX_SECRET, isSecret: true } as const;
const BY_PASSWORD: FormKind<null> = {
	fields: [
		{
			...TYPED,
			name: SECRETS.password,
			label: 'words.password',
			type: 'password',
			autocomplete: 'current-password',
		},
	],
	submit: 'words.confirm',
};
const BY_CODE: FormKind<null> = {
	fields: [{ ...TYPED, name: SECRETS.app, label: 'me.code', autocomplete: 'one-time-code' }],
	submit: 'words.confirm',
};

type Parts = Pick<PortalParts, 'clock' | 'portal'>;

/** Tells whether a page needs a proof: every form that changes who gets in, and pages that say so. */
export function asksProof({ method, right, needsProof = false }: AnyPage): boolean {
	return needsProof || (method === 'POST' && RIGHTS_WITH_PROOF.has(right as Right));
}

/** The page to which a proof is sent if the page that needs it was not reached by a form. */
export const confirmPage = post(CONFIRM_PATH, { right: 'signed-in', needsProof: true }, async (call) => ({
	redirectTo: nextOf(call),
}));

/**
 * Returns the call for a page that needs a proof, in the session that the proof has opened; or the page that asks for the
 * proof. The form that was sent comes along with it, so that nothing has to be typed twice.
 * @throws SessionEndedError if the session has ended meanwhile
 */
export async function withProof(call: PortalCall, { portal, clock }: Parts): Promise<PortalCall | PortalAnswer> {
	const { provenAtMs } = call.viewer.session;
	if (clock.now().getTime() - provenAtMs < PROOF_MS) return call;
	const proof = proofOf(call);
	if (!proof) return askPage(call, portal);
	const shown = await portal.login.prove(call.viewer, proof, clientOf(call));
	if (shown.state !== 'in') return askPage(call, portal, call.say('confirm.refused'));
	const proven = await inNewSession(call, shown.session, portal);
	return { ...proven, form: Object.fromEntries(ownFields(call)) };
}

function proofOf({ form: typed }: PortalCall): Proof | undefined {
	const way = typed[WAY];
	if (way === 'passkey') return { way, answer: readJson(typed[PASSKEY_ANSWER]) };
	if (way !== 'password' && way !== 'app') return undefined;
	return { way, secret: (typed[SECRETS[way]] ?? '').slice(0, MAX_SECRET) };
}

/** Returns the fields of the form that was sent, without those of the proof and without a key that was pasted by mistake. */
function ownFields({ form }: PortalCall): [name: string, value: string][] {
	return Object.entries(form).filter(([name, value]) => !OF_PROOF.has(name) && !value.includes('PRIVATE KEY'));
}

async function askPage(call: PortalCall, { login, signOn }: Portal, problem?: string): Promise<PortalAnswer> {
	const { say } = call;
	const { url, method } = call.request;
	const asked = isPortalPath(url) ? url : '/portal';
	const [action, fields] = method === 'POST' ? [asked, ownFields(call)] : [CONFIRM_PATH, [['next', asked] as const]];
	const placed = (way: Proof['way']) => ({ action, hidden: { ...Object.fromEntries(fields), [WAY]: way } });
	const { hasPassword, hasApp, hasPasskeys } = await login.waysOf(call.viewer);
	const request = hasPasskeys ? await login.proofRequest(call.viewer) : undefined;
	const passkey = { action, body: hiddenFields(placed('passkey').hidden), label: say('factor.passkey') };
	const byPassword = hasPassword && formPart(call, BY_PASSWORD, null, placed('password'));
	const next = new URLSearchParams({ next: pageBefore(call) });
	const byProvider = providersPart(call, await signOn.listOf(call.viewer.user.id), {
		path: ({ name }) => `${PROVIDER_PATH}${name}/confirm?${next}`,
		text: 'sso.confirm',
	});
	const byCode = hasApp && formPart(call, BY_CODE, null, placed('app'));
	const body = html`${problem === undefined ? html`<p>${say('confirm.hint')}</p>` : notice('bad', problem)}${byPassword}${byCode}${request && passkeyPart(call, passkey)}${byProvider}`;
	const scripts = request ? passkeyScripts() : [];
	const shown = { title: say('confirm.title'), body, scripts, data: { request }, status: 401 };
	return pageOf({ section: 'me', help: '/docs/portal#my-settings' }, shown);
}

/**
 * Returns the page to which somebody comes back from a provider: the one they asked for, or the one with the form that they
 * sent. A form is not sent again by itself, since what was typed does not travel to another site.
 */
function pageBefore({ request: { url, method, headers }, basePath }: PortalCall): string {
	if (method === 'GET') return url;
	const { referer = '' } = headers;
	if (!URL.canParse(referer)) return '/portal';
	const { pathname, search } = new URL(referer);
	const path = `${pathname}${search}`.slice(basePath.length);
	return isPortalPath(path) ? path : '/portal';
}
