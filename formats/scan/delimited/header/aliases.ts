// Finds columns by their names: the names of the vocabulary, or those that an account gives instead.

import { z } from 'zod';
import {
	CARD_FIELDS,
	type CardField,
	type FieldName,
	foldFieldName,
} from '../../../../src/base/card/names/field-names.ts';
import {
	columnsOf,
	findSharedColumn,
	type HeaderRule,
	type Heading,
	type Resolution,
	type UnusedColumn,
} from './columns.ts';
import type { HeaderName } from './name.ts';
import { assignFields, type Claim, type NumberColumn, ordinalOf } from './owners.ts';

const names = z.array(z.string().min(1).max(200)).max(50).optional();

/**
 * With this option an account or a folder gives its own names of columns; fields that it leaves out keep the names of
 * the vocabulary.
 */
export const aliasesOption = z
	.strictObject({
		cardNumber: names,
		expiry: names,
		expirationMonth: names,
		expirationYear: names,
		cvv: names,
		cardType: names,
		nameOnCard: names,
		reference: names,
	})
	.default({});

type OwnNames = z.infer<typeof aliasesOption>;

/** What the options `aliases` and `columns` of an account call each field of a card. */
export const OPTION_OF: Readonly<Record<CardField, keyof OwnNames>> = {
	number: 'cardNumber',
	expiry: 'expiry',
	month: 'expirationMonth',
	year: 'expirationYear',
	cvv: 'cvv',
	type: 'cardType',
	name: 'nameOnCard',
	reference: 'reference',
};

/**
 * A row with more columns than this is not accepted as a header. Every other name is compared with every name of a card
 * number, which in a wider row would block the process.
 */
const MAX_NAMED_COLUMNS = 2048;
/** The names of a header can designate at most this many card number columns, as many as the option `groups` allows. */
const MAX_NUMBERS = 100;

export interface NamingRule {
	/** The names that an account gives. Each list replaces the vocabulary's names for that field. */
	readonly own?: OwnNames;
	/** True if a column named just `Reference`, without a word for card, is the reference of the token. */
	readonly hasReference?: boolean;
	/** The header is looked for in this many rows. */
	readonly within: number;
}

/** Returns the rule that finds the header: it is a row with a name for a card number. */
export function namingRule(rule: NamingRule): HeaderRule {
	const resolve = (header: readonly HeaderName[]) => resolveNames(rule, header);
	return { kind: 'row', within: rule.within, maxColumns: MAX_NAMED_COLUMNS, resolve };
}

/**
 * Finds the cards of a header by its names. Every column whose name clearly means a card number is one card. If there
 * is no such column, a name that could mean a card number is accepted (`Tarjeta`; `Number` next to an expiry or a CVV).
 * If several names could, the rows below the header decide between them.
 */
export function resolveNames(rule: NamingRule, header: readonly HeaderName[]): Resolution {
	if (header.length > MAX_NAMED_COLUMNS) {
		const problem = `the row has more than ${MAX_NAMED_COLUMNS} columns; designate those with cards by index (filter CSV)`;
		return { problem, isCertain: true };
	}
	const claims = header.flatMap((name, index) => claimOf(rule, name, index) ?? []);
	const sure = claims.filter(({ field, isSure, isForeign }) => field === 'number' && isSure && !isForeign);
	if (sure.length > MAX_NUMBERS) {
		return { problem: `the header names more than ${MAX_NUMBERS} columns as card numbers`, isCertain: true };
	}
	if (sure.length > 0) return headingOf(header, claims, withSiblings(sure, claims), true);
	const possible = possibleNumbers(claims, header).slice(0, MAX_NUMBERS);
	if (possible.length === 0) return { problem: 'no column is named as a card number' };
	const readings = numbered(possible).map((numbers) => headingOf(header, claims, numbers, false));
	const [first, ...others] = readings;
	return 'problem' in first
		? first
		: { ...first, others: others.filter((other): other is Heading => 'cards' in other) };
}

/**
 * Groups columns that may be card numbers into possible readings of the header. If every name has an ordinal of its own
 * (`Carte 1`, `Carte 2`), the columns are the numbers of several cards and make one reading. Otherwise each column
 * alone is a reading, and only one of them is right.
 */
function numbered(possible: readonly Claim[]): (readonly Claim[])[] {
	const ordinals = possible.map(({ stem }) => ordinalOf(stem));
	const isNumbered = possible.length > 1 && !ordinals.includes(undefined) && new Set(ordinals).size === possible.length;
	return isNumbered ? [[...possible].sort((one, other) => one.index - other.index)] : possible.map((claim) => [claim]);
}

/**
 * Adds columns whose names mean a card number only because of another column. `Tarjeta 2` alone would be uncertain, but
 * next to `Núm. tarjeta 1` it is the number of a second card.
 */
function withSiblings(sure: readonly Claim[], claims: readonly Claim[]): Claim[] {
	const ordinals = new Set(sure.map(({ stem }) => ordinalOf(stem)));
	if (!ordinals.has('1') && !ordinals.has('2')) return [...sure];
	const siblings = claims.filter(({ field, isSure, isForeign, saysCard, stem }) => {
		const ordinal = ordinalOf(stem);
		return field === 'number' && !isSure && !isForeign && saysCard && ordinal !== undefined && !ordinals.has(ordinal);
	});
	return [...sure, ...siblings].sort((one, other) => one.index - other.index);
}

function headingOf(
	header: readonly HeaderName[],
	claims: readonly Claim[],
	numbers: readonly NumberColumn[],
	isSure: boolean,
): Resolution {
	const { cards, secondCvv } = assignFields(claims, numbers);
	if (secondCvv !== undefined) {
		const [one, other] = secondCvv.map((index) => `"${header[index].shown}"`);
		const problem = `the columns ${one} and ${other} are both named as the CVV of one card number; name one of them in aliases or columns`;
		return { problem, isCertain: isSure };
	}
	const problem = findSharedColumn(cards);
	if (problem !== undefined) return { problem, isCertain: true };
	return { cards, isSure, unused: findUnused(header, new Set(cards.flatMap(columnsOf))) };
}

/** Finds columns that the vocabulary knows as number, CVV or expiry of a card and that no card uses. */
export function findUnused(header: readonly HeaderName[], used: ReadonlySet<unknown>): UnusedColumn[] {
	return header.slice(0, MAX_NAMED_COLUMNS).flatMap(({ meaning }, index) => {
		if (meaning === undefined || used.has(index)) return [];
		const { field, isSure, isForeign } = meaning;
		if (field === 'cvv' || (field === 'expiry' && !isForeign) || (field === 'number' && isSure))
			return [{ index, field }];
		return [];
	});
}

/** Returns the columns whose names may mean a card number, the likeliest first. */
function possibleNumbers(claims: readonly Claim[], header: readonly HeaderName[]): Claim[] {
	if (header.filter(({ text }) => text !== '').length < 2) return [];
	const isOfCard = ({ field, isForeign, isVague, isSure }: Claim) =>
		!isForeign &&
		!isVague &&
		(field === 'cvv' || field === 'expiry' || field === 'month' || (isSure && field !== 'number'));
	const hasOthers = claims.some(isOfCard);
	return claims
		.filter(({ field, isForeign, saysCard }) => field === 'number' && !isForeign && (saysCard || hasOthers))
		.sort((one, other) => Number(other.saysCard) - Number(one.saysCard));
}

function claimOf(rule: NamingRule, name: HeaderName, index: number): Claim | undefined {
	const own = findOwnField(rule.own ?? {}, name);
	const { meaning } = name;
	if (own !== undefined) return { index, ...own, stem: own.stem || stemOf(meaning) };
	if (meaning === undefined || rule.own?.[OPTION_OF[meaning.field]] !== undefined) return undefined;
	return isTaken(rule, meaning) ? { index, ...meaning, stem: stemOf(meaning) } : undefined;
}

/**
 * Returns the stem of a name: the words that say whose card it is, or which one. Blanks are removed, so that the stem
 * can be compared with those of an account's own names, which have none. Only a blank between digits stays: in
 * `CVV (3 digits) 2` it keeps the ordinal 2 apart from the 3.
 */
function stemOf(meaning: FieldName | undefined): string {
	return meaning?.stem.replace(/(?<!\d) | (?!\d)/g, '') ?? '';
}

/**
 * Tells whether a column is used for the field that its name means. A type, a holder's name or a reference must say in
 * its name that it is a card's, because a row has many other types, names and references. With `hasReference`, any
 * reference is used.
 */
function isTaken(rule: NamingRule, { field, isSure }: FieldName): boolean {
	if (field === 'reference') return isSure || rule.hasReference === true;
	return isSure || (field !== 'type' && field !== 'name');
}

/**
 * Returns the field for which an account has listed this name, alone or after the words of a card number ("Billing
 * Ablauf").
 */
function findOwnField(own: OwnNames, name: HeaderName): Omit<Claim, 'index'> | undefined {
	const { folded } = name;
	for (const field of CARD_FIELDS) {
		for (const alias of own[OPTION_OF[field]] ?? []) {
			const end = foldFieldName(alias);
			const claim = { field, isSure: true, saysCard: true, isVague: false };
			if (folded === end) return { ...claim, isForeign: false, stem: '' };
			if (field !== 'number' && end !== '' && folded.endsWith(end)) {
				return { ...claim, isForeign: true, stem: folded.slice(0, -end.length).replace(/account$/, '') };
			}
		}
	}
	return undefined;
}
