// The search field at the top of every page, and what a viewer may find with it.

import { type Html, html } from '../../../../../base/pages/html.ts';
import type { Right } from '../../../../../people/portal-users/rights.ts';
import type { Viewer } from '../../../../../people/portal-users/viewer.ts';
import { SEARCH_KINDS, type SearchKind } from '../../../../../work/search/typed-text.ts';
import { csrfField } from '../../csrf.ts';
import { icon } from '../../look/icons.ts';
import type { OpenCall } from '../../portal-page.ts';

export const FIND = '/portal/find';
/** The field of the form, and the parameter of the address. */
export const FIND_TEXT = 'text';

/** The right that a viewer needs to find something of a kind: that of the page to which a result leads. */
const RIGHT_TO_FIND: Readonly<Record<SearchKind, Right>> = {
	token: 'cards.see',
	reference: 'cards.see',
	lastFour: 'cards.see',
	file: 'files.see',
	job: 'files.see',
	route: 'routes.see',
	person: 'people.see',
	call: 'access.see',
};

/** Returns the kinds that a viewer may find. Operators find nothing, because they see nothing of an account. */
export function findableBy(viewer: Viewer): ReadonlySet<SearchKind> {
	if (!viewer.principal || viewer.session.mustAddFactor) return new Set();
	return new Set(SEARCH_KINDS.filter((kind) => viewer.has(RIGHT_TO_FIND[kind])));
}

/**
 * Returns the field. It is posted, so that what somebody types is in no address before it is known to hold no card number.
 * With its script, a card number is not even sent.
 */
export function findField(call: OpenCall): Html {
	const { say, viewer } = call;
	if (!viewer || findableBy(viewer).size === 0) return html``;
	return html`<form method="post" action="${FIND}" class="find" role="search" aria-label="${say('find.label')}" data-no-number="${say('find.noNumber')}">${csrfField(call)}<input id="find" name="${FIND_TEXT}" type="search" maxlength="255" autocomplete="off" spellcheck="false" aria-label="${say('find.label')}" aria-keyshortcuts="/" placeholder="${say('find.hint')}">
<button class="plain">${icon('find')}<span class="wide">${say('find.title')}</span></button><p class="problem" id="find-problem" role="alert" hidden></p></form>
`;
}
