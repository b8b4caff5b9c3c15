// Writes the page of a form.

import type { FastifyReply } from 'fastify';
import { CARD_TYPES } from '../../../base/card/brand.ts';
import { monthOf, writtenExpiry } from '../../../base/card/expiry.ts';
import type { Clock } from '../../../base/clock.ts';
import { getAsset, readStyles } from '../../../base/pages/assets.ts';
import { type Html, html } from '../../../base/pages/html.ts';
import { direction, fillText, type Texts, textsOf } from '../../../base/pages/languages/index.ts';
import type { Identity } from '../../../people/identity/identity.ts';
import type { Vault } from '../../../vault/vault.ts';
import type { Form } from '../../../work/cardholders/forms/form.ts';
import type { FormOptions } from '../../../work/cardholders/forms/form-options.ts';
import type { FieldName, FieldProblems, TypedFields } from '../../../work/cardholders/forms/judge-fields.ts';
import { type StoredCard, storedCard } from '../../../work/cardholders/forms/stored-card.ts';
import type { Styles } from '../../../work/cardholders/forms/styles.ts';
import { type AnsweredPage, answerPage, basePathOf } from '../pages/answer-page.ts';
import type { HttpSettings } from '../settings.ts';
import { cardFields, cvvField } from './form-fields.ts';

/** A form as its page shows it: empty at first, or filled in after a submission without a script. */
export interface ShownForm {
	/** The id of the form; absent once it can no longer be submitted. */
	readonly id?: string;
	readonly form: Form;
	readonly typed?: TypedFields;
	readonly problems?: FieldProblems;
	readonly notice?: { readonly text: string; readonly isGood: boolean };
	readonly status?: number;
	/** The heading above the form, in place of its usual title. */
	readonly heading?: Html;
	/** The origins that may show the page in a frame; by default those of the account. */
	readonly frameAncestors?: readonly string[];
}

const SUBMIT_PATHS = { card: '/api/payments/capturecard', cvv: '/api/payments/capturecvv' } as const;

export type FormPages = ReturnType<typeof formPages>;

export function formPages(
	parts: { identity: Identity; vault: Vault; clock: Clock; settings: Pick<HttpSettings, 'baseUrl'> },
	styles: Pick<Styles, 'pageCss'>,
) {
	const { identity, vault, clock, settings } = parts;
	return {
		async answer(reply: FastifyReply, shown: ShownForm) {
			const { form, frameAncestors } = shown;
			const { options, ownerId } = form;
			const page = formPage(shown, {
				card: options.kind === 'cvv' ? await storedCard(vault, ownerId, options.token) : undefined,
				css: await styles.pageCss(form, { name: options.view.brand, given: options.view.css }),
				frameAncestors: frameAncestors ?? (await identity.origins.frameAncestors(form.accountId)),
				now: clock.now(),
				basePath: basePathOf(settings.baseUrl),
			});
			return answerPage(reply, page);
		},
	};
}

export function formPage(
	shown: ShownForm,
	about: {
		readonly card?: StoredCard;
		/** What may be used of the style sheets of the account and the caller. */
		readonly css: string;
		readonly frameAncestors: readonly string[];
		readonly now: Date;
		readonly basePath: string;
	},
): AnsweredPage {
	const { status } = shown;
	const { options } = shown.form;
	const { card, css, frameAncestors, now, basePath } = about;
	const { language, success, failure, removesBaseCss } = options.view;
	const texts = textsOf(language);
	const title = options.kind === 'card' ? texts.form.title : texts.form.cvvTitle;
	// Our style sheet comes first, so that those of the account and the caller win.
	const ours = removesBaseCss ? '.tokendrop [hidden]{display:none}' : readStyles('base.css', 'form.css');
	return {
		status,
		basePath,
		page: {
			language,
			direction: direction(language),
			title,
			style: [ours, css].join('\n'),
			scripts: [getAsset('card-form.js')],
			body: bodyOf(shown, { texts, title, card, basePath }),
			data: formData(options, texts, { now, brand: card?.brand }),
		},
		headers: {
			frameAncestors,
			formAction: [success, failure].flatMap((address) => (address ? [new URL(address).origin] : [])),
		},
	};
}

/** Returns what was typed, without texts that are card numbers: no page shows one. */
function withoutNumbers({ nameOnCard, ownerId, ...typed }: TypedFields, problems: FieldProblems): TypedFields {
	return {
		...typed,
		...(problems.nameOnCard !== 'nameNumber' && { nameOnCard }),
		...(problems.ownerId !== 'ownerNumber' && { ownerId }),
	};
}

function bodyOf(
	{ id, form, typed = {}, problems = {}, notice, heading }: ShownForm,
	about: { texts: Texts; title: string; card: StoredCard | undefined; basePath: string },
): Html {
	const { texts, title, card, basePath } = about;
	const { options } = form;
	const state = { texts, typed: withoutNumbers(typed, problems), problems: problemTexts(problems, texts, form) };
	const fields =
		options.kind === 'card' ? cardFields(options, state) : cvvField(state, true, CARD_TYPES[card?.brand ?? 0]);
	const ofCard =
		card &&
		!options.view.hidesCard &&
		html`<p>${fillText(texts.form.cvvOf, { number: lastFour(card.maskedNumber) })}</p>
`;
	return html`<main class="tokendrop" id="page">
${heading ?? html`<h1 id="title">${title}</h1>`}
${ofCard}${
	id !== undefined &&
	html`<form id="card-form" method="post" action="${basePath}${SUBMIT_PATHS[options.kind]}" novalidate aria-label="${title}" autocomplete="on">
<input type="hidden" name="form" value="${id}">
${fields}<button type="submit" id="submit"${options.view.hasNoButton && html` hidden`}>${texts.form.submit}</button>
</form>
`
}<p class="${notice?.isGood ? 'notice right' : 'notice wrong'}" id="notice" role="status">${notice?.text}</p>
</main>
`;
}

export function problemTexts(
	problems: FieldProblems,
	texts: Texts,
	{ options }: Form,
): Partial<Record<FieldName, string>> {
	const least = (options.kind === 'card' && options.minExpiry) || 0;
	const { expiryMonth: month, expiryYear: year } = writtenExpiry(least);
	const values = { month, year };
	return Object.fromEntries(
		Object.entries(problems).map(([field, name]) => [field, fillText(texts.problems[name], values)]),
	);
}

/** Returns the last four digits of a masked number, by which the cardholder recognises the card. */
function lastFour(masked: string): string {
	return `•••• ${masked.slice(-4)}`;
}

/** Returns the data for the script of a form. If the form asks for a CVV only, `brand` is the brand of its card. */
function formData(options: FormOptions, texts: Texts, { now, brand }: { now: Date; brand?: number }) {
	const { view } = options;
	const { submit, submitting, stored, cvvStored, cvvBack, cvvFront } = texts.form;
	return {
		kind: options.kind,
		month: monthOf(now),
		texts: { submit, submitting, stored: options.kind === 'cvv' ? cvvStored : stored, cvvBack, cvvFront },
		problems: texts.problems,
		errors: texts.errors,
		autoFocus: view.autoFocuses ?? false,
		tellsNoProblems: view.tellsNoProblems ?? false,
		messageOrigin: view.messageOrigin,
		nonce: view.nonce,
		failure: view.failure,
		...(options.kind === 'cvv' && { brand: brand ?? 0 }),
		...(options.kind === 'card' && {
			cvv: options.cvv,
			detectsType: options.detectsType,
			defaultType: options.defaultType,
			types: options.types,
			minExpiry: options.minExpiry,
			asksOwnerId: options.asksOwnerId,
			checksName: options.checksName,
		}),
	};
}
