// Asks people to show their password or a second factor again before they change who gets in (PCI DSS 8.3.3), so that a
// session that was left open, or whose cookie was stolen, is not enough for that.

import { getAsset } from '../../../base/pages/assets.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import { type Portal, PROOF_MS, type Proof } from '../../../people/portal-users/portal.ts';
import { RIGHTS_WITH_PROOF, type Right } from '../../../people/portal-users/rights.ts';
import type { HttpRooms } from '../rooms.ts';
import { CSRF_FIELD, csrfField } from './csrf.ts';
import { clientOf, keepSession, nextOf } from './pages/people/session-cookie.ts';
import { readJson } from './pages/people/sign-in.ts';
import { field, form, notice } from './parts.ts';
import { isPortalPath } from './paths.ts';
import type { AnyPage, PortalAnswer, PortalCall, PortalPage } from './portal-page.ts';
import { SessionEndedError } from './refusals.ts';

const CONFIRM_PATH = '/portal/confirm';
const WAY = 'proof';
const SECRETS = { password: 'proof-password', app: 'proof-code' } as const;
/** The script of passkeys writes the answer of the authenticator into this field. */
const ANSWER = 'answer';
const OF_PROOF: ReadonlySet<string> = new Set([CSRF_FIELD, WAY, ...Object.values(SECRETS), ANSWER]);
const MAX_SECRET = 512;

type Rooms = Pick<HttpRooms, 'clock'> & { readonly portal: Portal };

/** Tells whether a page needs a proof: every form that changes who gets in, and pages that say so. */
export function asksProof({ method, right, needsProof = false }: AnyPage): boolean {
	return needsProof || (method === 'POST' && RIGHTS_WITH_PROOF.has(right as Right));
}

/** The page to which a proof is sent if the page that needs it was not reached by a form. */
export const confirmPage: PortalPage = {
	...{ path: CONFIRM_PATH, method: 'POST', right: 'signed-in', needsProof: true },
	handle: async (call) => ({ redirectTo: nextOf(call) }),
};

/**
 * Returns the call for a page that needs a proof, in the session that the proof has opened; or the page that asks for the
 * proof. The form that was sent comes along with it, so that nothing has to be typed twice.
 * @throws SessionEndedError if the session has ended meanwhile
 */
export async function withProof(call: PortalCall, { portal, clock }: Rooms): Promise<PortalCall | PortalAnswer> {
	const { provenAtMs } = call.viewer.session;
	if (clock.now().getTime() - provenAtMs < PROOF_MS) return call;
	const proof = proofOf(call);
	if (!proof) return askPage(call, portal);
	const shown = await portal.login.prove(call.viewer, proof, clientOf(call));
	if (shown.state !== 'in') return askPage(call, portal, call.texts.people.confirm.refused);
	keepSession(call, shown.session);
	const { ip, id: requestId } = call.request;
	const viewer = await portal.sessions.find(shown.session.cookie.reveal(), ip, { requestId });
	if (!viewer) throw new SessionEndedError();
	return { ...call, viewer, form: Object.fromEntries(ownFields(call)) };
}

function proofOf({ form: typed }: PortalCall): Proof | undefined {
	const way = typed[WAY];
	if (way === 'passkey') return { way, answer: readJson(typed[ANSWER]) };
	if (way !== 'password' && way !== 'app') return undefined;
	return { way, secret: (typed[SECRETS[way]] ?? '').slice(0, MAX_SECRET) };
}

/** Returns the fields of the form that was sent, without those of the proof and without a key that was pasted by mistake. */
function ownFields({ form }: PortalCall): [name: string, value: string][] {
	return Object.entries(form).filter(([name, value]) => !OF_PROOF.has(name) && !value.includes('PRIVATE KEY'));
}

async function askPage(call: PortalCall, { login }: Portal, problem?: string): Promise<PortalAnswer> {
	const { confirm, factor, login: says, me } = call.texts.people;
	const { url, method } = call.request;
	const asked = isPortalPath(url) ? url : '/portal';
	const [action, fields] = method === 'POST' ? [asked, ownFields(call)] : [CONFIRM_PATH, [['next', asked] as const]];
	const carried = (way: Proof['way']): Html =>
		html`<input type="hidden" name="${WAY}" value="${way}">${fields.map(
			([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
		)}`;
	const { hasApp, hasPasskeys } = await login.waysOf(call.viewer);
	const request = hasPasskeys ? await login.proofRequest(call.viewer) : undefined;
	const typed = { isRequired: true, maxLength: MAX_SECRET };
	const password = {
		...{ ...typed, name: SECRETS.password, label: says.password, type: 'password' as const },
		autocomplete: 'current-password',
	};
	const code = { ...typed, name: SECRETS.app, label: me.code, autocomplete: 'one-time-code' };
	const byPassword = { action, body: html`${carried('password')}${field(password)}`, submit: factor.submit };
	const byCode = { action, body: html`${carried('app')}${field(code)}`, submit: factor.submit };
	const byPasskey =
		request &&
		html`<form method="post" action="${action}" id="passkey" data-failed="${factor.passkeyFailed}" hidden>
${csrfField(call)}${carried('passkey')}<input type="hidden" name="${ANSWER}"><button type="button">${factor.passkey}</button>
<p class="problem" role="alert"></p></form>
`;
	const body = html`${problem === undefined ? html`<p>${confirm.hint}</p>` : notice('bad', problem)}${form(call, byPassword)}${hasApp && form(call, byCode)}${byPasskey}`;
	const scripts = request ? [getAsset('portal-passkey.js')] : [];
	return {
		page: { title: confirm.title, section: 'me', body, help: '/docs/portal#my-settings', scripts, data: { request } },
		status: 401,
	};
}
