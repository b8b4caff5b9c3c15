// Lists the cards of an account, newest first, and searches them.

import { html } from '../../../../../base/pages/html.ts';
import { fillText } from '../../../../../base/pages/languages/index.ts';
import type { TokenMetadata } from '../../../../../vault/tokens/token-metadata.ts';
import type { HttpRooms } from '../../../rooms.ts';
import { emptyState, field, notice, pager, table, time, typedSearchForm } from '../../parts.ts';
import type { PortalCall, PortalPage } from '../../portal-page.ts';
import { withTypedSearch } from '../../typed-search.ts';
import { type Asked, type FoundCards, findCards, namesOf, readSearch, SEARCH_FIELDS } from './search.ts';

const PATH = '/portal/cards';
const HELP = '/docs/portal#cards';

export function cardListPages(rooms: HttpRooms): PortalPage[] {
	const list: PortalPage = {
		path: PATH,
		method: 'GET',
		right: 'cards.see',
		async handle(call) {
			const words = call.texts.cards.list;
			const asked = readSearch(call);
			const isAsked = Object.keys(asked.problems).length === 0;
			const found = isAsked ? await findCards(rooms, call, asked) : EMPTY;
			const problems = found ? asked.problems : { ...asked.problems, user: words.noUser };
			const body = html`${searchFields(call, { ...asked, problems })}${found && isAsked && (await results(rooms, call, asked, found))}`;
			const title = call.texts.frame.sections.cards;
			return { page: { title, section: 'cards', body, help: HELP } };
		},
	};
	return withTypedSearch(list, SEARCH_FIELDS);
}

const EMPTY: FoundCards = { cards: [], next: undefined, reached: undefined, isCut: false };

function searchFields(call: PortalCall, { values, problems }: Asked) {
	const { list } = call.texts.cards;
	const of = (name: keyof Asked['values']) => ({ name, value: values[name] ?? '', problem: problems[name] });
	return typedSearchForm(call, {
		action: PATH,
		submit: list.search,
		body: html`${field({ ...of('reference'), label: list.reference, type: 'search', maxLength: 255 })}
${field({ ...of('last4'), label: list.last4, maxLength: 4, autocomplete: 'off' })}
${field({ ...of('since'), label: list.since, type: 'date' })}
${field({ ...of('until'), label: list.until, type: 'date' })}
${field({ ...of('user'), label: list.user, maxLength: 64, autocomplete: 'off' })}`,
	});
}

async function results(rooms: HttpRooms, call: PortalCall, { values }: Asked, found: FoundCards) {
	const { cards, next, reached, isCut } = found;
	const { list } = call.texts.cards;
	const names = await namesOf(rooms, cards);
	const isSearch = Object.keys(values).length > 0 || call.query.after;
	// A search by digits has to open one sealed page after the other and may stop early, so the answer says how far
	// back the search got.
	const range =
		reached && notice('plain', html`${fillText(list.reached, {})} ${time(reached, call.language)}. ${list.goOn}`);
	const rows = cards.map((card) => [
		html`<a href="${PATH}/${card.token}">${maskedNumber(card)}</a>`,
		...[card.cardType ?? list.unknown, expiryText(card.expiry), card.reference],
		...[time(card.createdAt, call.language), names(card.creatorId)],
	]);
	const head = [list.card, list.type, list.expiry, list.reference, list.stored, list.by];
	const listed =
		rows.length > 0
			? table({ caption: list.caption, head, rows })
			: emptyState(
					isSearch ? list.nothing : list.none,
					!isSearch && html`<p><a href="/docs/guide/cards">${list.how}</a></p>`,
				);
	const cut = isCut && notice('plain', list.cut);
	return html`${range}${listed}${cut}${pager(call, PATH, { ...values, after: call.query.after }, next)}`;
}

/** Returns the first six and the last four digits of a card number, or the kind of a record that has no number. */
export function maskedNumber({ leadingDigits, lastDigits, kind }: TokenMetadata): string {
	return leadingDigits === null ? kind : `${leadingDigits}…${lastDigits}`;
}

export function expiryText(expiry: number): string {
	return expiry > 0 ? `${String(expiry % 100).padStart(2, '0')}/${Math.floor(expiry / 100)}` : '';
}
