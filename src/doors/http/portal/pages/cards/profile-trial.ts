// Shows what a profile finds in an example: where each part of a card is, and why a path of the profile finds nothing.

import { maskNumber } from '../../../../../base/card/masking.ts';
import { why } from '../../../../../base/failures.ts';
import { maskCardNumbers } from '../../../../../base/log/card-numbers.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import type { TriedBody } from '../../../../../work/relay/bodies/body-task.ts';
import type { TriedCard } from '../../../../../work/relay/profiles/profile-trial.ts';
import { wordsFor } from '../../failure-words.ts';
import { type TableKind, tableOf } from '../../kinds/columns.ts';
import { joined, notice } from '../../pieces.ts';
import type { PortalCall } from '../../portal-page.ts';
import { reportWords } from '../files/report-words.ts';

const CARDS: TableKind<TriedCard> = {
	caption: 'frame.sections.cards',
	columns: [
		['words.line', ({ line }) => String(line)],
		['words.number', ({ number, content }) => number ?? content],
		['parties.brand', ({ brand }) => brand],
		['words.expiry', ({ expiry }) => expiry],
		['parties.verdict', verdictOf],
	],
};

const PATHS: TableKind<TriedBody['trial']['selectors'][number]> = {
	caption: 'parties.paths',
	columns: [
		['parties.path', ({ pointer }) => pointer],
		['parties.matches', ({ matched }) => String(matched)],
		['parties.why', remarkOf],
	],
};

const UNUSED: TableKind<TriedBody['trial']['unused'][number]> = {
	caption: 'parties.unused',
	columns: [
		['words.field', ({ name }) => maskCardNumbers(name)],
		['words.line', ({ line }) => String(line)],
		['parties.looksLike', ({ looksLike }, { say }) => say(`parties.looks.${looksLike}`)],
	],
};

function remarkOf({ matched, remark }: TriedBody['trial']['selectors'][number], call: PortalCall): string | Html {
	if (remark === null) return call.say('parties.matched');
	return wordsFor(call, why(remark, matched === 0 ? 'path-finds-nothing' : 'path-without-text'));
}

function verdictOf({ content, refusal, warnings }: TriedCard, call: PortalCall): string | Html {
	if (refusal) return reportWords(call, refusal);
	if (content !== 'number') return call.say('parties.left');
	return joined([call.say('parties.taken'), ...warnings.map((text) => reportWords(call, text))]);
}

/** Returns the result of a trial as markup. Card numbers are masked and CVVs are stars, as everywhere in the portal. */
export function trialPart(call: PortalCall, body: Buffer, { trial, spans }: TriedBody): Html {
	const { say } = call;
	const { cards, placeholders, selectors, unused } = trial;
	const count = cards.length + placeholders.length;
	const said = count === 0 ? notice('bad', say('parties.foundNone')) : notice('good', say('parties.found', { count }));
	const marks = [
		...spans.map(({ start, end, card, parts }) => ({
			start,
			end,
			label: `${card}: ${parts.join(', ')}`,
			hides: parts.includes('securityCode'),
		})),
		...placeholders.map(({ offset, placeholder }) => ({
			start: offset,
			end: offset + Buffer.byteLength(placeholder) + 4,
			label: placeholder,
			hides: false,
		})),
	];
	return html`<section id="trial" aria-live="polite"><h2>${say('parties.result')}</h2>
${said}
${placeholders.some(({ isRaw }) => isRaw) && notice('plain', say('parties.rawNames'))}
<pre tabindex="0" id="marked">${marked(body, marks)}</pre>
${tableOf(call, CARDS, cards)}
${tableOf(call, PATHS, selectors)}
${tableOf(call, UNUSED, unused)}</section>`;
}

/** Returns the markup for a trial that failed, because the example cannot be read or the profile cannot be used. */
export function trialRefusal(call: PortalCall, refusal: Html): Html {
	return html`<section id="trial" aria-live="polite"><h2>${call.say('parties.result')}</h2>${refusal}</section>`;
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
