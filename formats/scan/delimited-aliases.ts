// Columns found by the names such files usually give them (formats §6, §7).

import { z } from 'zod';
import {
	ABSENT,
	type CardColumns,
	findSharedColumn,
	foldName,
	type HeaderName,
	type HeaderRule,
	NUMBER_ONLY,
	type Resolution,
} from './delimited-columns.ts';

const FIELDS = [
	'cardNumber',
	'expiry',
	'expirationMonth',
	'expirationYear',
	'cvv',
	'cardType',
	'nameOnCard',
	'reference',
] as const;
type Field = (typeof FIELDS)[number];

/** Names each field goes by; case, blanks, `_`, `-` and `.` do not count. */
export type Aliases = Readonly<Record<Field, readonly string[]>>;

const names = z.array(z.string().min(1).max(200)).max(50).optional();

/** The option by which an account or a folder gives its own names; a field left out keeps the usual ones. */
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

/** `usual`, with the fields that `own` names replaced. */
export function withAliases(usual: Aliases, own: z.infer<typeof aliasesOption>): Aliases {
	return mapFields((field) => own[field] ?? usual[field]);
}

/** Both lists of names, for files of which nothing is known. */
export function unitedAliases(one: Aliases, other: Aliases): Aliases {
	return mapFields((field) => [...one[field], ...other[field]]);
}

function mapFields(namesOf: (field: Field) => readonly string[]): Aliases {
	return Object.fromEntries(FIELDS.map((field) => [field, namesOf(field)] as const)) as Record<
		Field,
		readonly string[]
	>;
}

/** The header is the first of the first `within` rows that has a number column by one of its aliases. */
export function aliasRule(aliases: Aliases, within: number): HeaderRule {
	return { kind: 'row', within, resolve: (header) => resolveAliases(aliases, header) };
}

/**
 * Every column that goes by an alias of the card number is a card of its own. Another field belongs to the number
 * column of the same stem ("Billing Account Number", "Billing Expiry Date"), else to the nearest one on its left,
 * else to the first one; a field that number already has is not replaced. A second CVV column is refused: its codes
 * would stay in clear beside the token.
 */
export function resolveAliases(aliases: Aliases, header: readonly HeaderName[]): Resolution {
	const folded = header.map((name) => name.folded);
	const numberNames = new Set(aliases.cardNumber.map(foldName));
	const numbers = folded.flatMap((name, index) => (numberNames.has(name) ? [index] : []));
	if (numbers.length === 0) return { problem: 'no column is named as a card number' };
	const stems = numbers.map((index) => stemOf(folded[index].replace(NUMBER_ENDING, '')));
	const owned = numbers.map(() => new Map<Field, number>());
	const unclaimed: number[] = [];
	for (const field of FIELDS.slice(1)) {
		const neighbours: number[] = [];
		const claim = (number: number, index: number) => {
			if (!owned[number].has(field)) owned[number].set(field, index);
			else if (field === 'cvv') unclaimed.push(index);
		};
		for (const [index, name] of folded.entries()) {
			const stem = findFieldStem(name, aliases[field], stems);
			if (stem === undefined) continue;
			if (stem === '') neighbours.push(index);
			else
				claim(
					nearest(numbers, index, (i) => stems[i] === stem),
					index,
				);
		}
		for (const index of neighbours)
			claim(
				nearest(numbers, index, () => true),
				index,
			);
	}
	const cards = numbers.map((number, i) => cardOf(number, owned[i]));
	const problem = unclaimed.length > 0 ? SECOND_CVV : findSharedColumn(cards);
	return problem === undefined ? { cards } : { problem, isCertain: true };
}

function cardOf(number: number, owned: Map<Field, number>): CardColumns {
	const column = (field: Field) => owned.get(field) ?? ABSENT;
	// One field that holds the whole date is preferred to a pair, of which both must be there.
	const hasPair = !owned.has('expiry') && owned.has('expirationMonth') && owned.has('expirationYear');
	return {
		...NUMBER_ONLY,
		number,
		expiry: column('expiry'),
		month: hasPair ? column('expirationMonth') : ABSENT,
		year: hasPair ? column('expirationYear') : ABSENT,
		cvv: column('cvv'),
		type: column('cardType'),
		name: column('nameOnCard'),
		reference: column('reference'),
	};
}

const SECOND_CVV = 'two columns are named as the CVV of one card number; name one of them in aliases or columns';

const NUMBER_ENDING = /(number|no|nr)$/;

/** What names of one account have in common; an empty stem belongs to no number in particular. */
function stemOf(nameWithoutEnding: string): string {
	return nameWithoutEnding.replace(/account$/, '');
}

/**
 * The stem of a field's name when it is one of the aliases, or an alias after the stem of a number column
 * ("Billing Expiry Date"); undefined when it is another field ("Passport Expiry Date").
 */
function findFieldStem(name: string, aliases: readonly string[], stems: readonly string[]): string | undefined {
	for (const alias of aliases.map(foldName)) {
		if (name === alias) return stems.find((stem) => stem !== '' && name.startsWith(stem)) ?? '';
		if (!name.endsWith(alias)) continue;
		const stem = stemOf(name.slice(0, -alias.length));
		if (stem !== '' && stems.includes(stem)) return stem;
	}
	return undefined;
}

/** Which of the number columns that may own a field at `index` is nearest on its left; the first one when none is. */
function nearest(numbers: readonly number[], index: number, mayOwn: (i: number) => boolean): number {
	const left = numbers.findLastIndex((number, i) => number < index && mayOwn(i));
	return left < 0 ? numbers.findIndex((_, i) => mayOwn(i)) : left;
}
