// Finds cards in markup by the usual names of their fields. Here the steps of a path are meanings of names, so that one
// path fits all names with the same meaning.

import { foldFieldName } from '../../../src/base/card/names/field-names.ts';
import { BARE, CARD, CODE, cardNameCode, FIELD_BITS, SURE, TOKEN, VALUE } from '../card-names.ts';
import { FIELD, type Field, type FieldReading } from '../held-card.ts';
import { WEIGHT } from '../held-cards.ts';
import { NameMemo } from '../name-memo.ts';
import { nameText } from '../shown-name.ts';
import type { MarkupPath, MarkupSelectors } from './selectors.ts';
import { ANYWHERE, FROM_CONTAINER } from './selectors.ts';

// The meaning of a name is a small number: that of its field, with the marks `IS_SURE` and `IS_BARE`, or one of the
// codes from `CARD_NAME` on.
const IS_SURE = 16;
const IS_BARE = 32;
const CARD_NAME = 64;
const VALUE_NAME = 65;
const TOKEN_NAME = 66;
const TRAVEL_TRAN = 67;
const ACCT_NBR = 68;
/**
 * The attribute gives its element a name, as `Name` does in `<Field Name="CVC">123</Field>`. There, `Name` is not the
 * name of a card's holder.
 */
const PAIR_NAME = 69;
const PAIR_ELEMENT = 70;
/** The name says code and card, as `CardCode` does. */
const CARD_CODE = 71;
/**
 * An element or attribute with such a name may be in the element of an expiry: `<expiryDate><date month="12"
 * year="2029"/></expiryDate>`, `<Validity StartDate="2026-01-01" EndDate="2029-12-31"/>`.
 */
const DATE_NAME = 72;
/** The name is `CardID`, so the value is a card number only if it is a valid one. */
const CARD_ID = 73;
const NAME_CODES = 74;

const PAIR_ELEMENTS = new Set(
	'field param parameter property attribute item entry element data pair keyvalue info detail customfield option setting'.split(
		' ',
	),
);
const PAIR_NAMES = new Set(['key', 'label', 'id', 'fieldname', 'field', 'title', 'code', 'type']);

/** American Express's own layout uses these names; in other layouts they mean something else. */
const AMEX_NAMES = new Map([
	['traveltran', TRAVEL_TRAN],
	['acctnbr', ACCT_NBR],
]);

function nameCode(name: string): number {
	const folded = foldFieldName(name);
	const amex = AMEX_NAMES.get(folded);
	if (amex !== undefined) return amex;
	if (PAIR_ELEMENTS.has(folded)) return PAIR_ELEMENT;
	if (folded === 'date' || folded === 'enddate') return DATE_NAME;
	const code = cardNameCode(name);
	if ((code & CARD) !== 0) return CARD_NAME;
	if ((code & VALUE) !== 0) return VALUE_NAME;
	if ((code & TOKEN) !== 0) return code === TOKEN ? TOKEN_NAME : CARD_ID;
	if ((code & CODE) !== 0) return CARD_CODE;
	if ((code & FIELD_BITS) === 0) return PAIR_NAMES.has(folded) ? PAIR_NAME : 0;
	return (code & FIELD_BITS) | ((code & SURE) !== 0 ? IS_SURE : 0) | ((code & BARE) !== 0 ? IS_BARE : 0);
}

const names = new NameMemo((name) => nameCode(nameText(name)));

const sure = (field: Field) => field | IS_SURE;
const bare = (field: Field) => field | IS_BARE;
const any = (field: Field) => [sure(field), field];

const NUMBER_WORDS = [FIELD.NUMBER, ACCT_NBR];
const EXPIRIES = any(FIELD.EXPIRY);

/**
 * There are three kinds of card elements: those with a name for a card, American Express's accounts, and any element
 * that has the fields of a card.
 */
const IN_CARD = 0;
const IN_ACCOUNT = 1;
const LOOSE = 2;

type PathRow = Pick<MarkupPath, 'selector' | 'field' | 'steps' | 'from'> & {
	isWord?: boolean;
	isCode?: boolean;
	gate?: number;
};

const path = (row: PathRow): MarkupPath => {
	const isWithoutContainer = row.selector === LOOSE;
	const last = row.steps[row.steps.length - 1];
	const isSure = last === CARD_CODE || (last < CARD_NAME ? (last & IS_SURE) !== 0 : isSureValue(row.steps));
	const isBare = last < CARD_NAME && (last & IS_BARE) !== 0 && row.steps.length === 1;
	return { isWithoutContainer, isSure, isBare, isWord: false, isCode: false, gate: WEIGHT.NONE, ...row };
};
/**
 * Tells whether the path of a value shows that it belongs to a card. `<CardNumber><PlainText>` shows this as clearly as
 * `<CardNumber>`.
 */
const isSureValue = (steps: readonly number[]) => steps.length > 1 && (steps[0] & IS_SURE) !== 0;

/** Lists the paths for one field. Deeper paths come first, because the first path that fits decides. */
function fieldPaths(selector: number): PathRow[] {
	const isCard = selector !== LOOSE;
	const rows: PathRow[] = [];
	const add = (field: Field, from: number, steps: readonly number[], more: Partial<PathRow> = {}) =>
		rows.push({ selector, field, from, steps, ...more });
	const own = isCard ? FROM_CONTAINER : ANYWHERE;
	const word = { isWord: !isCard };
	add(FIELD.NUMBER, ANYWHERE, [sure(FIELD.NUMBER), VALUE_NAME]);
	add(FIELD.NUMBER, ANYWHERE, [sure(FIELD.NUMBER), TOKEN_NAME], { gate: WEIGHT.NUMBER });
	for (const name of NUMBER_WORDS) add(FIELD.NUMBER, own, [name, VALUE_NAME], word);
	add(FIELD.NUMBER, ANYWHERE, [sure(FIELD.NUMBER)]);
	for (const name of NUMBER_WORDS) add(FIELD.NUMBER, own, [name], word);
	add(FIELD.NUMBER, ANYWHERE, [CARD_NAME], { gate: WEIGHT.DIGITS });
	add(FIELD.NUMBER, ANYWHERE, [CARD_ID], { gate: WEIGHT.NUMBER });
	if (isCard) add(FIELD.NUMBER, own, [VALUE_NAME], { gate: WEIGHT.DIGITS });
	for (const expiry of EXPIRIES) {
		for (const name of [VALUE_NAME, DATE_NAME]) add(FIELD.EXPIRY, ANYWHERE, [expiry, name]);
		for (const part of [FIELD.MONTH, FIELD.YEAR]) {
			add(part, ANYWHERE, [expiry, bare(part)]);
			add(part, ANYWHERE, [expiry, DATE_NAME, bare(part)]);
		}
		// Inside a card element, other paths find the month and year of an expiry at any depth. Outside, the element around
		// the first step of a path is regarded as the card. So here the path must begin at the expiry element and lead to
		// its parts.
		if (isCard) continue;
		for (const name of EXPIRIES) add(FIELD.EXPIRY, ANYWHERE, [expiry, name]);
		for (const part of [FIELD.MONTH, FIELD.YEAR]) for (const name of any(part)) add(part, ANYWHERE, [expiry, name]);
	}
	for (const expiry of EXPIRIES) add(FIELD.EXPIRY, ANYWHERE, [expiry]);
	for (const part of [FIELD.MONTH, FIELD.YEAR]) {
		for (const name of any(part)) add(part, ANYWHERE, [name]);
		add(part, own, [bare(part)]);
	}
	add(FIELD.CVV, ANYWHERE, [sure(FIELD.CVV), VALUE_NAME]);
	add(FIELD.CVV, ANYWHERE, [sure(FIELD.CVV)]);
	add(FIELD.CVV, own, [FIELD.CVV], { isWord: true });
	if (isCard) add(FIELD.CVV, own, [bare(FIELD.CVV)], { isWord: true });
	add(FIELD.TYPE, ANYWHERE, [CARD_CODE], { isCode: true });
	for (const field of [FIELD.TYPE, FIELD.NAME]) {
		add(field, ANYWHERE, [sure(field)]);
		if (isCard) add(field, own, [field]);
	}
	if (isCard) for (const name of any(FIELD.REFERENCE)) add(FIELD.REFERENCE, own, [name]);
	return rows;
}

const CONTAINERS: readonly PathRow[] = [
	{ selector: IN_CARD, field: FIELD.NONE, from: ANYWHERE, steps: [CARD_NAME] },
	{ selector: IN_ACCOUNT, field: FIELD.NONE, from: ANYWHERE, steps: [TRAVEL_TRAN, FIELD.NUMBER] },
];

const byName = () => Array.from({ length: NAME_CODES }, (): MarkupPath[] => []);
const containers = byName();
for (const row of CONTAINERS) containers[row.steps[row.steps.length - 1]].push(path(row));
const elementFields = byName();
const attributeFields = byName();
for (const row of [IN_CARD, IN_ACCOUNT, LOOSE].flatMap(fieldPaths)) {
	const last = row.steps[row.steps.length - 1];
	// The text of a card element is the card's number. In other elements the text is not read as one.
	if (last !== CARD_NAME || row.selector === IN_CARD) elementFields[last].push(path(row));
	attributeFields[last].push({ ...path(row), steps: row.steps.slice(0, -1) });
}

/**
 * On a card element, attributes with these meanings are fields of the card. On an element such as
 * `<Field Name="CVC">123</Field>`, they say what its value is.
 */
const PAIRED_FIELDS = new Set<number>([FIELD.NAME, FIELD.TYPE, bare(FIELD.CVV)]);

/** Finds cards by the usual names: in card elements, in American Express's accounts, then wherever their fields are. */
export function usualSelectors(reading: FieldReading): MarkupSelectors {
	return {
		elementNames: names,
		attributeNames: names,
		containers,
		elementFields,
		attributeFields,
		isWithoutContainer: [false, false, true],
		isPair: (element) => element === PAIR_ELEMENT,
		isPairName: (attribute) => attribute === PAIR_NAME || PAIRED_FIELDS.has(attribute),
		reading,
	};
}
