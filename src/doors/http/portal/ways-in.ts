// The ways in that are no form to type into: a passkey, which a script asks for, and the providers that people sign in at.

import { getAsset } from '../../../base/pages/assets.ts';
import { type Html, type HtmlValue, html } from '../../../base/pages/html.ts';
import type { ShownProvider } from '../../../people/portal-users/sso/single-sign-on.ts';
import { csrfField } from './csrf.ts';
import type { OpenCall } from './portal-page.ts';
import type { TextKey } from './texts.ts';

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

/**
 * Returns a link for each provider, which looks like a button. It is no form, because browsers let no form of ours lead to
 * another site.
 */
export function providersPart(
	{ say }: Pick<OpenCall, 'say'>,
	providers: readonly ShownProvider[],
	{ path, text }: { readonly path: (provider: ShownProvider) => string; readonly text: TextKey },
): Html {
	const links = providers.map((provider) => {
		const said = say(text, { provider: provider.label });
		return html`<p><a class="button plain" href="${path(provider)}" data-whole>${said}</a></p>
`;
	});
	return html`${links}`;
}
