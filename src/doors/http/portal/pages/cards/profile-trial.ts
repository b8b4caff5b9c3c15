// Shows what a profile finds in an example: where each part of a card is, and why a path of the profile finds nothing.

import { maskNumber } from '../../../../../base/card/masking.ts';
import { maskCardNumbers } from '../../../../../base/log/card-numbers.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import { fillText } from '../../../../../base/pages/languages/index.ts';
import type { TriedBody } from '../../../../../work/relay/bodies/body-task.ts';
import type { TriedCard } from '../../../../../work/relay/profiles/profile-trial.ts';
import { notice, table } from '../../parts.ts';
import type { PortalCall } from '../../portal-page.ts';

/** Returns the result of a trial as markup. Card numbers are masked and CVVs are stars, as everywhere in the portal. */
export function trialPart(call: PortalCall, body: Buffer, { trial, spans }: TriedBody): Html {
	const { parties: words } = call.texts.cards;
	const { cards, placeholders, selectors, unused } = trial;
	const count = cards.length + placeholders.length;
	const said = count === 0 ? notice('bad', words.foundNone) : notice('good', fillText(words.found, { count }));
	const marks = [
		...spans.map(({ start, end, card, parts }) => ({
			...{ start, end },
			label: `${card}: ${parts.join(', ')}`,
			hides: parts.includes('securityCode'),
		})),
		...placeholders.map(({ offset, placeholder }) => ({
			...{ start: offset, end: offset + Buffer.byteLength(placeholder) + 4, label: placeholder, hides: false },
		})),
	];
	return html`<section id="trial" aria-live="polite"><h2>${words.result}</h2>
${said}
${placeholders.some(({ isRaw }) => isRaw) && notice('plain', words.rawNames)}
<pre tabindex="0" id="marked">${marked(body, marks)}</pre>
${cards.length > 0 && table({ caption: words.foundCards, head: [words.line, words.number, words.brand, words.expiry, words.verdict], rows: cards.map((card) => cardRow(call, card)) })}
${
	selectors.length > 0 &&
	table({
		caption: words.paths,
		head: [words.path, words.matches, words.why],
		rows: selectors.map(({ pointer, matched, remark }) => [pointer, String(matched), remark ?? words.matched]),
	})
}
${
	unused.length > 0 &&
	table({
		caption: words.unused,
		head: [words.field, words.line, words.looksLike],
		rows: unused.map(({ name, line, looksLike }) => [maskCardNumbers(name), String(line), looksLike]),
	})
}</section>`;
}

/** Returns the markup for a trial that failed, because the example cannot be read or the profile cannot be used. */
export function trialRefusal(call: PortalCall, refusal: string): Html {
	const { parties: words } = call.texts.cards;
	return html`<section id="trial" aria-live="polite"><h2>${words.result}</h2>${notice('bad', html`<span class="lines">${refusal}</span>`)}</section>`;
}

interface Mark {
	readonly start: number;
	readonly end: number;
	readonly label: string;
	readonly hides: boolean;
}

function marked(body: Buffer, marks: readonly Mark[]): Html {
	const pieces: Html[] = [];
	let at = 0;
	for (const { start, end, label, hides } of [...marks].sort((a, b) => a.start - b.start)) {
		if (start < at || end > body.length) continue;
		pieces.push(html`${maskCardNumbers(body.toString('utf8', at, start))}`);
		const text = body.toString('utf8', start, end);
		pieces.push(html`<mark>${hides ? text.replace(/[^"\s]/g, '*') : hidden(text)}<small> [${label}]</small></mark>`);
		at = end;
	}
	return html`${pieces}${maskCardNumbers(body.toString('utf8', at))}`;
}

/** Masks a text at the place of a card number, even if the number contains blanks, dots or hyphens. */
function hidden(text: string): string {
	const digits = text.replace(/\D/g, '');
	return digits.length >= 12 ? text.replace(/\d[\d\s.-]*\d/, maskNumber(digits)) : maskCardNumbers(text);
}

function cardRow({ texts }: PortalCall, { line, number, content, brand, expiry, refusal, warnings }: TriedCard) {
	const { parties: words } = texts.cards;
	const verdict = refusal ?? (content === 'number' ? [words.taken, ...warnings].join('; ') : words.left);
	return [String(line), number ?? content, brand, expiry, verdict];
}
