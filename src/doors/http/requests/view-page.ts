// Builds the pages that show a card: one that an account shows in a frame, and one to which a link leads a person.

import { getAsset, readStyles } from '../../../base/pages/assets.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import { direction, fillText, type Texts, textsOf } from '../../../base/pages/languages/index.ts';
import type { PageParts } from '../../../base/pages/page.ts';
import type { MaskedView } from '../../../work/cardholders/requests/shown-card.ts';

export interface ViewPage {
	readonly language: string;
	readonly path: string;
	readonly hideSeconds: number;
	/**
	 * The card without its full number. Absent in the page to which a link leads, because that page shows nothing
	 * before the one-time code was entered.
	 */
	readonly card?: MaskedView;
	/** The number of times that the CVV may still be shown; absent if the page may not show it. */
	readonly cvvUses?: number;
	readonly showsCvv?: boolean;
	/** True if the page requests the number as soon as it is loaded. */
	readonly isFull?: boolean;
	readonly messageOrigin?: string;
	readonly nonce?: string;
	/** What may be used of the style sheets of the account and the caller. */
	readonly css?: string;
}

export function viewPage(view: ViewPage): Omit<PageParts, 'nonce'> {
	const { language, css = '', card } = view;
	const texts = textsOf(language);
	// A page that an account opens is shown in a frame, and keeps the background of the page around it. A page to which
	// a link leads fills the window.
	const sheet = readStyles('base.css', 'card-view.css', ...(card ? [] : ['full-page.css']));
	return {
		language,
		direction: direction(language),
		title: card ? texts.display.title : texts.view.title,
		style: [sheet, css].join('\n'),
		scripts: [getAsset('card-view.js')],
		body: bodyOf(view, texts),
		data: dataOf(view, texts),
	};
}

function bodyOf(view: ViewPage, texts: Texts): Html {
	const { card, showsCvv, cvvUses } = view;
	const { display, form } = texts;
	const row = (id: string, label: string, value: string | undefined, isDigits = false) =>
		html`<div${value === undefined && html` hidden`}><dt>${label}</dt><dd><span id="${id}"${isDigits && html` class="digits"`}>${value}</span></dd></div>
`;
	return html`<main class="tokendrop" id="page">
<h1 id="title">${card ? display.title : texts.view.title}</h1>
${card ? undefined : codeForm(texts)}<div id="card"${!card && html` hidden`}>
<dl>
<div><dt>${form.cardNumber}</dt><dd><span id="number" class="digits" tabindex="-1">${card?.masked}</span></dd></div>
${row('expiry', form.expiry, card?.expiry, true)}${row('name', form.nameOnCard, card?.name)}${row('type', form.cardType, card?.type)}${
	showsCvv && row('cvv', form.cvvTitle, undefined, true)
}</dl>
${
	card &&
	html`<button type="button" id="show">${display.show}</button>
`
}<button type="button" class="plain" id="copy" hidden>${display.copy}</button>
${showsCvv && cvvButton(cvvUses, display)}<p class="hint">${display.audited}</p>
</div>
<p class="notice" id="notice" role="status"></p>
</main>
`;
}

function cvvButton(uses: number | undefined, display: Texts['display']): Html {
	if (!uses)
		return html`<p class="hint">${display.cvvNone}</p>
`;
	return html`<button type="button" class="plain" id="show-cvv" aria-describedby="cvv-uses">${display.showCvv}</button>
<p class="hint" id="cvv-uses">${fillText(display.cvvUses, { count: uses })}</p>
`;
}

function codeForm({ view }: Texts): Html {
	return html`<form id="code-form" novalidate autocomplete="off">
<p>${view.intro}</p>
<div class="field"><label for="code">${view.code}</label>
<input id="code" name="code" type="text" inputmode="numeric" autocomplete="one-time-code" maxlength="16" dir="ltr" required aria-describedby="code-problem">
<p class="problem" id="code-problem" role="alert"></p></div>
<button type="submit" id="open">${view.submit}</button>
</form>
`;
}

function dataOf({ path, hideSeconds, card, isFull, messageOrigin, nonce }: ViewPage, texts: Texts) {
	const { display, view, errors, problems } = texts;
	const { show, hide, copied, copyFailed, hidden, cvvUses, cvvNone } = display;
	return {
		numberPath: `${path}/number`,
		cvvPath: `${path}/cvv`,
		hideSeconds,
		messageOrigin,
		nonce,
		isOnce: card === undefined,
		isFull: isFull === true,
		texts: {
			show,
			hide,
			copied,
			copyFailed,
			hidden,
			cvvUses,
			cvvNone,
			hidesIn: fillText(display.hidesIn, { seconds: hideSeconds }),
			wrongCode: view.wrongCode,
			noTries: view.noTries,
			gone: view.gone,
			required: problems.required,
			network: errors.network,
			busy: errors.busy,
		},
	};
}
