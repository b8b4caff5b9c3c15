// Writes the frame around every page of the portal: the environment, the sections, the language, help, and a warning
// before a session ends.

import { holdsCardNumber } from '../../../base/card/spelling/spelled-number.ts';
import { getAsset, readStyles } from '../../../base/pages/assets.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import type { PageParts } from '../../../base/pages/page.ts';
import { csrfField } from './csrf.ts';
import { icon } from './look/icons.ts';
import { chosenScheme, schemeForm } from './look/scheme.ts';
import { chosenZone } from './look/zone.ts';
import { findField } from './pages/find/find-field.ts';
import { notice } from './pieces.ts';
import type { OpenCall, ShownPage } from './portal-page.ts';
import { SECTIONS, sectionsOf } from './sections.ts';
import { SESSION_PATH, secondsLeft } from './session-page.ts';
import { PORTAL_LANGUAGES } from './texts.ts';

export interface FrameFacts {
	readonly environment: 'sandbox' | 'production';
	/** The paths of all pages that this installation has. */
	readonly paths: ReadonlySet<string>;
	/** A message at the top of the page. */
	readonly notice?: string;
	readonly nowMs: number;
}

export function framed(call: OpenCall, page: ShownPage, facts: FrameFacts): PageParts {
	const { say, language, nonce, viewer, isWalk } = call;
	const { title, style = '', scripts = [], data } = page;
	const short = facts.environment === 'production' ? '' : `${say('frame.sandboxShort')} · `;
	return {
		language,
		nonce,
		data,
		direction: 'ltr',
		scheme: chosenScheme(call.request),
		title: `${short}${title} · Tokendrop`,
		style: readStyles('portal.css') + style,
		isStyleText: isWalk,
		scripts: [...(viewer ? [getAsset('portal-frame.js')] : []), ...scripts],
		body: html`<a class="skip" href="#content">${say('frame.skip')}</a>
${banner(call, facts)}${viewer && bar(call)}<div class="portal">
${viewer && navigation(call, page, facts)}<main id="content" tabindex="-1" data-zone="${chosenZone(call.request) ?? ''}">
<h1>${title}</h1>
${facts.notice !== undefined && notice('good', facts.notice)}${page.body}
</main>
</div>
${footer(call, page)}${viewer && idleWarning(call, facts)}`,
	};
}

function banner({ say, viewer }: OpenCall, { environment }: FrameFacts): Html {
	return html`<header class="banner ${environment}"><strong>${say(environment === 'production' ? 'frame.production' : 'frame.sandbox')}</strong><span>${viewer?.account ? html`<span class="wide">Tokendrop · </span>${viewer.account.userId}` : 'Tokendrop'}</span></header>
`;
}

/** What stands above a page: the search field, and on a narrow window the button that opens the menu of sections. */
function bar(call: OpenCall): Html {
	return html`<div class="bar"><button type="button" class="plain" popovertarget="sections">${icon('menu')}${call.say('frame.menu')}</button>${findField(call)}</div>
`;
}

function navigation(call: OpenCall, page: ShownPage, { paths }: FrameFacts): Html {
	const { say } = call;
	const link = (section: ReturnType<typeof sectionsOf>[number]) =>
		html`<li><a href="${SECTIONS[section].path}"${section === page.section && html` aria-current="page"`}>${icon(section)}${say(`frame.sections.${section}`)}</a></li>
`;
	return html`<nav id="sections" class="sections" popover aria-label="${say('frame.navigation')}">
<ul>
${sectionsOf(call.viewer!, paths).map(link)}</ul>
${
	paths.has('/portal/logout') &&
	html`<form method="post" action="/portal/logout" data-whole>${csrfField(call)}<button class="plain">${icon('signOut')}${say('frame.signOut')}</button> <small>${call.viewer!.user.name}</small></form>
`
}${schemeForm(call, pathOf(call))}</nav>
`;
}

function footer(call: OpenCall, { help }: ShownPage): Html {
	const { say } = call;
	const languages = Object.entries(PORTAL_LANGUAGES).map(
		([code, name]) =>
			html`<option value="${code}" lang="${code}"${code === call.language && html` selected`}>${name}</option>`,
	);
	return html`<footer>
<a href="${help}">${say('frame.help')}</a>
<form method="post" action="/portal/language">${csrfField(call)}<input type="hidden" name="back" value="${pathOf(call)}">
<label for="language">${say('words.language')}</label> <select id="language" name="language">${languages}</select>
<button class="plain">${say('frame.choose')}</button></form>
</footer>
`;
}

/** Returns the address of the page that is shown, unless somebody has typed a card number into it. */
function pathOf({ request, query }: OpenCall): string {
	const isKept = request.method === 'GET' && !Object.values(query).some(holdsCardNumber);
	return isKept ? request.url : '/portal';
}

function idleWarning({ viewer, say }: OpenCall, { nowMs }: FrameFacts): Html {
	const seconds = secondsLeft(viewer!, nowMs);
	return html`<div id="idle" class="idle" role="alert" data-href="${SESSION_PATH}" data-seconds="${seconds}" data-text="${say('frame.idle')}" data-ended="${say('frame.ended')}" data-unreachable="${say('frame.unreachable')}" data-coming="${say('frame.coming')}" hidden>
<p id="idle-text"></p><button type="button" id="idle-stay">${say('frame.stay')}</button></div>
`;
}
