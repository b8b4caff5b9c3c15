// Finds the parts of a card by the usual names of its fields (docs/formats/names.md), if a profile says `names: usual`.

import { type CardField, type FieldMeaning, findFieldMeaning, foldFieldName } from '../../card/field-names.ts';
import type { CardPart, PartSelector } from '../profile.ts';
import type { BodyFormat, Query } from './body-format.ts';

/**
 * Maps each part of a card to the field that contains it. A whole expiry is not a part of its own: it is read as month
 * and year.
 */
const FIELD_OF: Record<CardPart, CardField> = {
	number: 'number',
	expiryMonth: 'month',
	expiryYear: 'year',
	nameOnCard: 'name',
	securityCode: 'cvv',
	type: 'type',
};

/** A value can be inside its field in an element with one of these names: `<CardNumber><PlainText>`. */
const VALUE_NAMES = new Set(['plaintext', 'plain', 'value', 'text', 'clear']);
/** In NDC the expiry of a card is an element next to the date from which the card is valid. */
const EXPIRY_WRAP = 'effectiveexpiredate';
/** A name that contains one of these words belongs to a number that is masked or encrypted. */
const HIDDEN = /mask|trunc|hidden|encrypt|hash|token|redact/;
/** Under a word such as `number` only a value with enough digits is taken for a card number or a token. */
const LONG_ENOUGH = /^\s*(?:\d(?:[ -]?\d){11,21}|[0-9A-Fa-f]{32})\s*$/;

/**
 * A name with more digits than this may itself be a card number. It is not looked up, because the vocabulary keeps
 * names in memory.
 */
const MAX_DIGITS = 6;

/** Returns what a field of this name contains, or undefined if the name is not a usual one. */
export function meaningOf(name: string): FieldMeaning | undefined {
	return (name.match(/\p{N}/gu) ?? []).length > MAX_DIGITS ? undefined : findFieldMeaning(name);
}

/** Returns the nodes for a part of a card in a container, by the names of its direct members. */
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

/** Returns the nodes for a whole expiry, which is used if the container has no separate month and year. */
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

/** Returns the node itself if it can hold text, or the node in it that holds the plain text. */
function findValue<Body>(format: BodyFormat<Body>, body: Body, node: number): number | undefined {
	if (format.findPlace(body, node) !== undefined) return node;
	const inner = format.named(body, node, false).find(({ name }) => VALUE_NAMES.has(foldFieldName(name)));
	return inner !== undefined && format.findPlace(body, inner.node) !== undefined ? inner.node : undefined;
}

const MONTH_FIRST = /^(\s*)(\d{1,2})(\s*[/.-]?\s*)(\d{4}|\d{2})\s*$/;
const YEAR_FIRST = /^(\s*)(\d{4})([/.-]?)(\d{2})(?:[/.-]\d{2})?\s*$/;

/** Decides from the present value how a separate month or year is written. */
export function partAlone(part: CardPart, text: string, selector: PartSelector): PartSelector {
	const digits = text.trim().length;
	if (part === 'expiryYear') return { ...selector, format: digits === 2 ? 'YY' : 'YYYY' };
	return { ...selector, format: digits === 1 ? 'M' : 'MM' };
}

/** Finds month and year in a whole expiry. An empty or unreadable one is treated as MMYY. */
export function partOfExpiry(part: CardPart, text: string, selector: PartSelector): PartSelector {
	const isMonth = part === 'expiryMonth';
	const yearFirst = /^\s*\d{4}[/.-]/.test(text) ? YEAR_FIRST.exec(text) : null;
	const [, blanks, first, gap, second] = yearFirst ?? MONTH_FIRST.exec(text) ?? ['', '', '00', '', '00'];
	const isFirst = isMonth === (yearFirst === null);
	const offset = isFirst ? blanks.length : blanks.length + first.length + gap.length;
	const length = (isFirst ? first : second).length;
	return { ...selector, substring: [offset, length], format: isMonth ? 'MM' : length === 2 ? 'YY' : 'YYYY' };
}
