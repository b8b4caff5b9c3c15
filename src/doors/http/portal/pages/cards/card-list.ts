// Lists the cards of an account, newest first, with how many fit, and searches them.

import { shownExpiry } from '../../../../../base/card/expiry.ts';
import { html } from '../../../../../base/pages/html.ts';
import { link } from '../../kinds/columns.ts';
import { DAYS } from '../../kinds/days.ts';
import { countPart, fileOf } from '../../kinds/paged-rows.ts';
import { pagesOf } from '../../kinds/pages-of.ts';
import { principalOf } from '../../own.ts';
import type { PortalParts } from '../../parts.ts';
import { emptyState, notice, time } from '../../pieces.ts';
import type { PortalPage } from '../../portal-page.ts';
import { type FoundCard, findAllCards, findCards, findMerchant, findUser, maskedNumber } from './search.ts';

const PATH = '/portal/cards';
const { list } = pagesOf({ section: 'cards', help: '/docs/portal#cards' });

const FILE = fileOf<FoundCard>(
	['token', ({ card }) => card.token],
	['firstSix', ({ card }) => card.leadingDigits],
	['lastFour', ({ card }) => card.lastDigits],
	['type', ({ card }) => card.cardType],
	['expiry', ({ card }) => shownExpiry(card.expiry)],
	['reference', ({ card }) => card.reference],
	['storedAt', ({ card }) => card.createdAt],
	'by',
);

export function cardListPages({ identity, vault }: Pick<PortalParts, 'identity' | 'vault'>): PortalPage[] {
	return list<FoundCard>(PATH, 'cards.see', {
		title: 'frame.sections.cards',
		search: {
			submit: 'cards.search',
			noNumber: 'cards.noNumber',
			filters: [
				{ name: 'reference', label: 'words.reference', type: 'search', maxLength: 255 },
				{
					name: 'last4',
					label: 'cards.last4',
					// No longest length: a browser would cut a whole number that is pasted to its first four digits.
					autocomplete: 'off',
					check: (text, { say }) => (/^\d{4}$/.test(text) ? undefined : say('cards.fourDigits')),
				},
				...DAYS,
				{
					name: 'user',
					label: 'cards.user',
					maxLength: 64,
					autocomplete: 'off',
					check: async (text, call) =>
						(await findUser(identity, principalOf(call).ownerId, text)) === undefined
							? call.say('cards.noUser')
							: undefined,
				},
				{
					name: 'merchant',
					label: 'cards.merchant',
					hint: 'cards.merchantHint',
					maxLength: 64,
					autocomplete: 'off',
					check: async (text, call) =>
						(await findMerchant({ identity, vault }, principalOf(call).ownerId, text)) === undefined
							? call.say('cards.noMerchant')
							: undefined,
				},
			],
		},
		async find(call, asked) {
			const { ownerId } = principalOf(call);
			const { reached, count = 0, ...found } = await findCards({ identity, vault }, ownerId, asked);
			const { say, language } = call;
			// A search by digits has to open one sealed page after the other and may stop early, so the answer says how
			// far the search got.
			const isBack = asked.before === undefined;
			const range = html`${say(isBack ? 'cards.reached' : 'cards.reachedNewer')} ${reached && time(reached, language)}. ${say(isBack ? 'cards.goOn' : 'cards.goOnNewer')}`;
			return { ...found, before: html`${countPart(call, count)}${reached && notice('plain', range)}` };
		},
		exported: {
			columns: FILE.columns,
			async *rows(call, asked, check) {
				for await (const cards of findAllCards({ identity, vault }, principalOf(call).ownerId, asked)) {
					await check();
					for (const card of cards) yield FILE.cellsOf(card);
				}
			},
		},
		caption: 'cards.caption',
		columns: [
			['words.card', ({ card }) => link(`${PATH}/${card.token}`, maskedNumber(card))],
			['cards.type', ({ card }, { say }) => card.cardType ?? say('cards.unknown')],
			['words.expiry', ({ card }) => shownExpiry(card.expiry)],
			['words.reference', ({ card }) => card.reference],
			['cards.stored', ({ card }) => card.createdAt],
			['cards.by', ({ by }) => by],
		],
		none: ({ say }, { isNarrowed }) =>
			isNarrowed
				? emptyState(say('cards.nothing'))
				: emptyState(say('cards.none'), html`<p><a href="/docs/guide/cards">${say('cards.how')}</a></p>`),
	});
}
