// Finds the parts of a card by the usual names of its fields (docs/formats/names.md), if a profile says `names: usual`.

import {
	type CardField,
	type FieldMeaning,
	findFieldMeaning,
	foldFieldName,
} from '../../../base/card/names/field-names.ts';
import type { CardPart, PartSelector } from '../profiles/profile.ts';
import type { BodyFormat, Query } from './body-format.ts';

/**
 * Maps each part of a card to the kind of field that contains it. A field with the whole expiry is not listed, because
 * it is read as two parts, the month and the year.
 */
const FIELD_OF: Record<CardPart, CardField> = {
	number: 'number',
	expiryMonth: 'month',
	expiryYear: 'year',
	nameOnCard: 'name',
	securityCode: 'cvv',
	type: 'type',
};

/** The value of a field can be in an element of one of these names, as in `<CardNumber><PlainText>`. */
const VALUE_NAMES = new Set(['plaintext', 'plain', 'value', 'text', 'clear']);
/** In NDC, the airline standard, this element has two others: from when the card is valid, and its expiry. */
const EXPIRY_WRAP = 'effectiveexpiredate';
/** With one of these words in its name, a number in a field is masked or encrypted, and not taken for a card. */
const HIDDEN = /mask|trunc|hidden|encrypt|hash|token|redact/;
/**
 * A name such as `number` may mean something else. A field of such a name is taken for a card number only if its value
 * matches this: it has enough digits, or it is a token.
 */
const LONG_ENOUGH = /^\s*(?:\d(?:[ -]?\d){11,21}|[0-9A-Fa-f]{32})\s*$/;

/** A name with more digits may be a card number. It is not looked up, because the look-up keeps names in memory. */
const MAX_DIGITS = 6;

/** Returns what a field of this name contains, or undefined if the name is not a usual one. */
export function meaningOf(name: string): FieldMeaning | undefined {
	return (name.match(/\p{N}/gu) ?? []).length > MAX_DIGITS ? undefined : findFieldMeaning(name);
}

/** Returns a query for the values of a part of a card, by the names of the fields directly in a container. */
export function usualQuery<Body>(format: BodyFormat<Body>, part: CardPart): Query<Body> {
	return (body, context) => {
		const found = findNamed(format, body, context, FIELD_OF[part]);
		if (found.length > 0 || (part !== 'expiryMonth' && part !== 'expiryYear')) return found;
		// Month and year can be inside the expiry: `"expiry": {"month": 12, "year": 2029}`.
		return fieldsOf(format, body, context, 'expiry').flatMap(({ node }) =>
			format.findPlace(body, node) === undefined ? findNamed(format, body, node, FIELD_OF[part]) : [],
		);
	};
}

/** Returns a query for the whole expiry, which is used if the container has no separate month and year. */
export function wholeExpiryQuery<Body>(format: BodyFormat<Body>): Query<Body> {
	return (body, context) => {
		const found = findNamed(format, body, context, 'expiry');
		if (found.length > 0) return found;
		return fieldsOf(format, body, context, 'expiry').flatMap(({ node }) => findNamed(format, body, node, 'expiry'));
	};
}

function findNamed<Body>(format: BodyFormat<Body>, body: Body, context: number, field: CardField): number[] {
	const found = fieldsOf(format, body, context, field).flatMap(({ node, isSure }) => {
		const value = findValue(format, body, node);
		return value === undefined ? [] : [{ node: value, isSure }];
	});
	const sure = found.filter(({ isSure }) => isSure);
	if (sure.length > 0) return sure.map(({ node }) => node);
	const isNumber = (node: number) => LONG_ENOUGH.test(format.findPlace(body, node)?.read() ?? '');
	return found.map(({ node }) => node).filter((node) => field !== 'number' || isNumber(node));
}

function fieldsOf<Body>(format: BodyFormat<Body>, body: Body, context: number, field: CardField) {
	return format.named(body, context, false).flatMap(({ name, node }) => {
		const meaning = foldFieldName(name) === EXPIRY_WRAP ? { field: 'expiry', isSure: false } : meaningOf(name);
		if (meaning?.field !== field || (field === 'number' && HIDDEN.test(foldFieldName(name)))) return [];
		return [{ node, isSure: meaning.isSure }];
	});
}

/** Returns the node of a field itself if it can hold text, or the node inside it with the plain text, if any. */
function findValue<Body>(format: BodyFormat<Body>, body: Body, node: number): number | undefined {
	if (format.findPlace(body, node) !== undefined) return node;
	const inner = format.named(body, node, false).find(({ name }) => VALUE_NAMES.has(foldFieldName(name)));
	return inner !== undefined && format.findPlace(body, inner.node) !== undefined ? inner.node : undefined;
}

const MONTH_FIRST = /^(\s*)(\d{1,2})(\s*[/.-]?\s*)(\d{4}|\d{2})\s*$/;
const YEAR_FIRST = /^(\s*)(\d{4})([/.-]?)(\d{2})(?:[/.-]\d{2})?\s*$/;

/** Decides how a month or a year in a field of its own is written: in the same format as the text that is there now. */
export function partAlone(part: CardPart, text: string, selector: PartSelector): PartSelector {
	const digits = text.trim().length;
	if (part === 'expiryYear') return { ...selector, format: digits === 2 ? 'YY' : 'YYYY' };
	return { ...selector, format: digits === 1 ? 'M' : 'MM' };
}

/** Finds which characters of an expiry are the month or the year. One that cannot be read is treated as MMYY. */
export function partOfExpiry(part: CardPart, text: string, selector: PartSelector): PartSelector {
	const isMonth = part === 'expiryMonth';
	const yearFirst = /^\s*\d{4}[/.-]/.test(text) ? YEAR_FIRST.exec(text) : null;
	const [, blanks, first, gap, second] = yearFirst ?? MONTH_FIRST.exec(text) ?? ['', '', '00', '', '00'];
	const isFirst = isMonth === (yearFirst === null);
	const offset = isFirst ? blanks.length : blanks.length + first.length + gap.length;
	const length = (isFirst ? first : second).length;
	return { ...selector, substring: [offset, length], format: isMonth ? 'MM' : length === 2 ? 'YY' : 'YYYY' };
}
