// Assigns the columns of expiries, CVVs and the other fields of a card to the card number columns of a row.

import type { CardField, FieldName } from '../../../../src/base/card/names/field-names.ts';
import { type CardColumns, cardColumns } from './columns.ts';

/** Describes a column that is a card field by its name. */
export interface Claim extends FieldName {
	readonly index: number;
}

export type NumberColumn = Pick<Claim, 'index' | 'stem'>;

export interface Assignment {
	readonly cards: CardColumns[];
	/**
	 * Describes two columns that both seem to be the CVV of the same number. Only one of them can be starred, so the
	 * CVVs in the other would stay in clear next to the token.
	 */
	readonly secondCvv?: readonly [number, number];
}

type OtherField = Exclude<CardField, 'number'> | 'code';
const OTHER_FIELDS: readonly OtherField[] = ['expiry', 'month', 'year', 'cvv', 'type', 'name', 'reference', 'code'];
/** A number with one of these stems is in clear, and a number beside it without a stem is most likely masked. */
const CLEAR_STEMS: ReadonlySet<string> = new Set(['clear', 'plain', 'full', 'complete', 'unmasked', 'decrypted']);
const DATE_FIELDS: ReadonlySet<OtherField> = new Set<OtherField>(['expiry', 'month', 'year']);

/** Holds one column of card numbers and the other fields that were assigned to it. */
interface Owner {
	readonly number: NumberColumn;
	readonly fields: Map<OtherField, Claim>;
}

/**
 * Assigns the other fields of a card to the card numbers. The stem of a name is the words that say whose card it is. A
 * field belongs to the number with the same stem ("Billing Account Number", "Billing Expiry Date"), or else to the only
 * number with the same ordinal. A field without a stem belongs to a number that still lacks such a field. If there are
 * as many of these fields as of such numbers, they are assigned in order; otherwise to the nearest number on their
 * left, but to a number in clear (`Card Number Clear`) before a number without a stem. Fields whose names say card are assigned first.
 */
export function assignFields(claims: readonly Claim[], numbers: readonly NumberColumn[]): Assignment {
	const owners = numbers.map((number) => ({ number, fields: new Map<OtherField, Claim>() }));
	for (const field of OTHER_FIELDS) {
		const ofField = claims.filter((claim) => fieldOf(claim) === field && isPlausible(claim, claims, numbers));
		const ofStems = ofField.filter(({ stem }) => stem !== '' && numbers.some((number) => number.stem === stem));
		for (const claim of ofStems) {
			const owner = nearest(
				owners.filter(({ number }) => number.stem === claim.stem),
				claim.index,
			);
			if (!owner.fields.has(field)) owner.fields.set(field, claim);
			else if (field === 'cvv') return { cards: [], secondCvv: [owner.fields.get(field)!.index, claim.index] };
		}
		const rest = ofField.filter((claim) => !ofStems.includes(claim) && !claim.isForeign);
		const others = rest.filter((claim) => !giveByOrdinal(owners, claim));
		for (const isSure of [true, false]) {
			const alike = others.filter((claim) => claim.isSure === isSure);
			const second = assignByPlace(owners, field, byLikelihood(field, alike, numbers));
			if (second !== undefined && isSure && field === 'cvv') return { cards: [], secondCvv: second };
		}
	}
	return { cards: owners.map(cardOf) };
}

/**
 * Puts columns of a date that stand left of every number behind the others, because a field belongs to a number on its
 * left: the date before the first number may be that of a passport. The order of other fields stays.
 */
function byLikelihood(field: OtherField, claims: readonly Claim[], numbers: readonly NumberColumn[]): readonly Claim[] {
	if (claims.length <= numbers.length || !DATE_FIELDS.has(field)) return claims;
	const isBehind = ({ index }: Claim) => numbers.some((number) => number.index < index);
	return [...claims.filter(isBehind), ...claims.filter((claim) => !isBehind(claim))];
}

/**
 * Assigns a field to the only number with the same ordinal (`BTA Account Number 1`, `CVV 1`) and tells whether there is
 * one.
 */
function giveByOrdinal(owners: readonly Owner[], claim: Claim): boolean {
	const ordinal = ordinalOf(claim.stem);
	const same = ordinal === undefined ? [] : owners.filter(({ number }) => ordinalOf(number.stem) === ordinal);
	const field = fieldOf(claim) as OtherField;
	if (same.length !== 1 || same[0].fields.has(field)) return false;
	same[0].fields.set(field, claim);
	return true;
}

function fieldOf({ field, isCode }: Claim): CardField | 'code' {
	return isCode === true ? 'code' : field;
}

/** Returns the ordinal of a card in a stem: the 2 of `Card Number 2`. */
export function ordinalOf(stem: string): string | undefined {
	return /\d{1,2}$/.exec(stem)?.[0];
}

/**
 * Assigns columns of one field to the card numbers by their positions. If all numbers already have such a field,
 * returns two columns: the one that the nearest number has, and the one that is left over.
 */
function assignByPlace(
	owners: readonly Owner[],
	field: OtherField,
	claims: readonly Claim[],
): readonly [number, number] | undefined {
	const lacking = () => owners.filter(({ fields }) => !fields.has(field));
	const inOrder = lacking();
	const isInOrder = inOrder.length === claims.length;
	for (const [i, claim] of claims.entries()) {
		const free = lacking();
		if (free.length === 0) return [nearest(owners, claim.index).fields.get(field)!.index, claim.index];
		const clear = free.filter(({ number }) => CLEAR_STEMS.has(number.stem));
		const plain = clear.length > 0 ? clear : free.filter(({ number }) => number.stem === '');
		const owner = isInOrder ? inOrder[i] : nearest(plain.length > 0 ? plain : free, claim.index);
		owner.fields.set(field, claim);
	}
	return undefined;
}

/**
 * Tells whether a column is really a card field. `Month` and `Year` are an expiry only side by side after the number,
 * `MM/YY` only directly after it, and only if there is no better candidate.
 */
function isPlausible(claim: Claim, claims: readonly Claim[], numbers: readonly NumberColumn[]): boolean {
	if (!claim.isVague) return true;
	const hasExpiry = claims.some(({ field, isVague, isForeign }) => field === 'expiry' && !isVague && !isForeign);
	if (claim.field === 'expiry') return !hasExpiry && numbers.some(({ index }) => index === claim.index - 1);
	const isBeside = claims.some(
		({ field, isVague, index }) => isVague && field !== claim.field && Math.abs(index - claim.index) === 1,
	);
	return isBeside && !hasExpiry && numbers.some(({ index }) => index < claim.index);
}

/** Returns the number whose column is nearest on the left of column `index`, or the first number if there is none. */
function nearest(owners: readonly Owner[], index: number): Owner {
	return owners.findLast(({ number }) => number.index < index) ?? owners[0];
}

function cardOf({ number, fields }: Owner): CardColumns {
	const [expiry, month, year] = [fields.get('expiry'), fields.get('month'), fields.get('year')];
	// A field with the whole date is preferred to a pair of month and year, unless only the pair clearly belongs to the
	// card. Where the cell of the whole date is empty, the pair is read.
	const isPair = month !== undefined && year !== undefined;
	const isPairBetter = isPair && (!expiry || (month.isSure && !expiry.isSure));
	const column = (field: OtherField) => fields.get(field)?.index;
	return cardColumns({
		number: number.index,
		expiry: isPairBetter ? undefined : column('expiry'),
		month: isPair ? column('month') : undefined,
		year: isPair ? column('year') : undefined,
		cvv: column('cvv'),
		type: column('type') ?? column('code'),
		name: column('name'),
		reference: column('reference'),
		code: fields.has('cvv') ? undefined : column('code'),
	});
}
