import { type Html, html } from '../../../../../base/pages/html.ts';
import type { ShownProvider } from '../../../../../people/portal-users/sso/single-sign-on.ts';
import type { OpenCall } from '../../portal-page.ts';
import type { TextKey } from '../../texts.ts';

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
