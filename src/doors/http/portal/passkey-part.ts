import { getAsset } from '../../../base/pages/assets.ts';
import { type Html, type HtmlValue, html } from '../../../base/pages/html.ts';
import { csrfField } from './csrf.ts';
import type { OpenCall } from './portal-page.ts';

/** The field into which the script writes the answer of the authenticator. */
export const PASSKEY_ANSWER = 'answer';

export function passkeyScripts() {
	return [getAsset('portal-passkey.js')];
}

/** Returns the form that the script of passkeys sends. It stays hidden where there is no script. */
export function passkeyPart(
	call: Pick<OpenCall, 'say' | 'viewer'>,
	{ action, body, label }: { readonly action: string; readonly body: HtmlValue; readonly label: string },
): Html {
	return html`<form method="post" action="${action}" id="passkey" data-failed="${call.say('factor.passkeyFailed')}" hidden>
${csrfField(call)}${body}<input type="hidden" name="${PASSKEY_ANSWER}"><button type="button">${label}</button>
<p class="problem" role="alert"></p></form>
`;
}
