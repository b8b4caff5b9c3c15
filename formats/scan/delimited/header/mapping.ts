// Finds the columns that an account or a folder designates by name or by zero-based index (formats §8).

import { z } from 'zod';
import { EXPIRY_FORMATS } from '../../../../src/base/card/expiry.ts';
import { findUnused, OPTION_OF } from './aliases.ts';
import {
	type CardColumns,
	cardColumns,
	columnsOf,
	findSharedColumn,
	type HeaderRule,
	type Resolution,
} from './columns.ts';
import { type HeaderName, listNames } from './name.ts';

/** The header is looked for in the first ten rows, because a control row and titles may come before it. */
export const HEADER_WITHIN = 10;

/** A column index is below this number, because no spreadsheet has more columns. */
export const MAX_COLUMNS = 16_384;

const byName = { name: z.string().min(1).max(200) };
const byIndex = {
	index: z
		.int()
		.min(0)
		.max(MAX_COLUMNS - 1),
};
const field = z.union([z.strictObject(byName), z.strictObject(byIndex)]);
const format = { format: z.enum(EXPIRY_FORMATS).optional() };
const expiryField = z.union([z.strictObject({ ...byName, ...format }), z.strictObject({ ...byIndex, ...format })]);

const cardMapping = z
	.strictObject({
		cardNumber: field,
		expiry: expiryField.optional(),
		expirationMonth: field.optional(),
		expirationYear: field.optional(),
		cvv: field.optional(),
		cardType: field.optional(),
		nameOnCard: field.optional(),
		reference: field.optional(),
	})
	.refine((card) => (card.expirationMonth === undefined) === (card.expirationYear === undefined), {
		message: 'expirationMonth and expirationYear go together',
	})
	.refine((card) => card.expiry === undefined || card.expirationMonth === undefined, {
		message: 'either expiry or expirationMonth and expirationYear',
	});

/** Declares the options that designate columns: `columns` for one card a row, `groups` for several. */
export const mappingOptions = {
	columns: cardMapping.optional(),
	groups: z.array(cardMapping).max(100).optional(),
};

export type MappingOptions = z.infer<z.ZodObject<typeof mappingOptions>>;
type CardMapping = z.infer<typeof cardMapping>;
type Field = z.infer<typeof field>;

/** Returns the mappings of all cards, that of `columns` first. */
export function mappingsOf({ columns, groups = [] }: MappingOptions): CardMapping[] {
	return columns === undefined ? groups : [columns, ...groups];
}

/** Tells whether any column is designated by its name, so that a header row is needed. */
export function hasNamedColumns(mappings: readonly CardMapping[]): boolean {
	return mappings.some((card) => fieldsOf(card).some(([, at]) => 'name' in at));
}

/**
 * Refuses options that designate all columns by index if two card numbers, two CVVs, or a number and a CVV share a
 * column.
 */
export function refuseClashes(given: Parameters<typeof mappingsOf>[0], context: z.RefinementCtx): void {
	const mappings = mappingsOf(given);
	if (hasNamedColumns(mappings)) return;
	const resolution = resolveMapping(mappings, []);
	if ('problem' in resolution) context.addIssue({ code: 'custom', message: resolution.problem });
}

/** Returns the rule by which a mapping finds its columns. */
export function mappingRule(mappings: readonly CardMapping[], hasHeader: boolean): HeaderRule {
	if (hasHeader) {
		const isBlind = !hasNamedColumns(mappings);
		return { kind: 'row', within: HEADER_WITHIN, isBlind, resolve: (names) => resolveMapping(mappings, names) };
	}
	const resolution = resolveMapping(mappings, []);
	if ('problem' in resolution) throw new Error(`internal error: ${resolution.problem}`);
	return { kind: 'none', cards: resolution.cards };
}

/** Returns the columns of every card, in the order of their numbers, or the configured column that the header lacks. */
export function resolveMapping(mappings: readonly CardMapping[], names: readonly HeaderName[]): Resolution {
	const cards: CardColumns[] = [];
	const missing: { problem: string; field?: string; isCertain: boolean }[] = [];
	let matched = 0;
	for (const mapping of mappings) {
		const columns = new Map<string, number>();
		for (const [key, at] of fieldsOf(mapping)) {
			const found = findColumn(at, names);
			if (typeof found === 'number') {
				columns.set(key, found);
				matched++;
			} else missing.push({ ...found, field: 'name' in at ? at.name : undefined });
		}
		const given = Object.entries(OPTION_OF).map(([field, option]) => [field, columns.get(option)]);
		cards.push({ ...cardColumns(Object.fromEntries(given)), expiryFormat: mapping.expiry?.format });
	}
	if (missing.length > 0) return { ...(missing.find(({ isCertain }) => isCertain) ?? missing[0]), matched };
	const problem = findSharedColumn(cards);
	if (problem !== undefined) return { problem, isCertain: true };
	cards.sort((one, other) => one.number - other.number);
	return { cards, isSure: true, unused: findUnused(names, new Set(cards.flatMap(columnsOf))) };
}

function fieldsOf(card: CardMapping): [keyof CardMapping, Field][] {
	return Object.entries(card).filter(([, at]) => at !== undefined) as [keyof CardMapping, Field][];
}

/**
 * Finds a column by its name. An exact name is preferred to one that differs in case or punctuation. A name that fits
 * two columns is refused.
 */
function findColumn(at: Field, names: readonly HeaderName[]): number | { problem: string; isCertain: boolean } {
	if ('index' in at) return at.index;
	for (const fits of [(name: HeaderName) => name.is(at.name), (name: HeaderName) => name.isLoosely(at.name)]) {
		const found = names.flatMap((name, index) => (fits(name) ? [index] : []));
		if (found.length === 1) return found[0];
		if (found.length > 1) {
			const problem = `the header has the column "${at.name}" ${found.length} times; name it by its index`;
			return { problem, isCertain: true };
		}
	}
	return { problem: `the header has no column "${at.name}"; it holds ${listNames(names)}`, isCertain: false };
}
