// Columns designated by an account or a folder (formats §8): by name, or by zero-based index.

import { z } from 'zod';
import { EXPIRY_FORMATS } from '../../src/card/expiry.ts';
import {
	ABSENT,
	type CardColumns,
	findSharedColumn,
	type HeaderName,
	type HeaderRule,
	listNames,
	NUMBER_ONLY,
	type Resolution,
} from './delimited-columns.ts';

/** More columns than any spreadsheet has. */
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

/** The options that designate columns: `columns` for one card a row, `groups` for several. */
export const mappingOptions = {
	columns: cardMapping.optional(),
	groups: z.array(cardMapping).max(100).optional(),
};

export type MappingOptions = z.infer<z.ZodObject<typeof mappingOptions>>;
type CardMapping = z.infer<typeof cardMapping>;
type Field = z.infer<typeof field>;

/** Every card mapped, `columns` first. */
export function mappingsOf({ columns, groups = [] }: MappingOptions): CardMapping[] {
	return columns === undefined ? groups : [columns, ...groups];
}

/** Whether any column is designated by its name, so that a header row is needed. */
export function hasNamedColumns(mappings: readonly CardMapping[]): boolean {
	return mappings.some((card) => fieldsOf(card).some(([, at]) => 'name' in at));
}

/** For the options of a format: refuses columns that are all designated by index and do not do. */
export function refuseClashes(given: Parameters<typeof mappingsOf>[0], context: z.RefinementCtx): void {
	const mappings = mappingsOf(given);
	if (hasNamedColumns(mappings)) return;
	const resolution = resolveMapping(mappings, []);
	if ('problem' in resolution) context.addIssue({ code: 'custom', message: resolution.problem });
}

/** How a mapping finds its columns. */
export function mappingRule(mappings: readonly CardMapping[], hasHeader: boolean): HeaderRule {
	if (hasHeader) return { kind: 'row', within: 1, resolve: (names) => resolveMapping(mappings, names) };
	const resolution = resolveMapping(mappings, []);
	if ('problem' in resolution) throw new Error(`internal error: ${resolution.problem}`);
	return { kind: 'none', cards: resolution.cards };
}

/** The columns of every card, in the order of their numbers; or which configured column the header lacks. */
export function resolveMapping(mappings: readonly CardMapping[], names: readonly HeaderName[]): Resolution {
	const cards: CardColumns[] = [];
	for (const mapping of mappings) {
		const columns = new Map<string, number>();
		for (const [key, at] of fieldsOf(mapping)) {
			const found = findColumn(at, names);
			if (typeof found === 'string') return { problem: found, field: 'name' in at ? at.name : undefined };
			columns.set(key, found);
		}
		const column = (key: keyof CardMapping) => columns.get(key) ?? ABSENT;
		cards.push({
			...NUMBER_ONLY,
			number: column('cardNumber'),
			expiry: column('expiry'),
			expiryFormat: mapping.expiry?.format,
			month: column('expirationMonth'),
			year: column('expirationYear'),
			cvv: column('cvv'),
			type: column('cardType'),
			name: column('nameOnCard'),
			reference: column('reference'),
		});
	}
	const problem = findSharedColumn(cards);
	if (problem !== undefined) return { problem };
	return { cards: cards.sort((one, other) => one.number - other.number) };
}

function fieldsOf(card: CardMapping): [keyof CardMapping, Field][] {
	return Object.entries(card).filter(([, at]) => at !== undefined) as [keyof CardMapping, Field][];
}

/** An exact name wins over one that differs in case or separators; a name that fits two columns fits none. */
function findColumn(at: Field, names: readonly HeaderName[]): number | string {
	if ('index' in at) return at.index;
	for (const fits of [(name: HeaderName) => name.is(at.name), (name: HeaderName) => name.isLoosely(at.name)]) {
		const found = names.flatMap((name, index) => (fits(name) ? [index] : []));
		if (found.length === 1) return found[0];
		if (found.length > 1) return `the header has the column "${at.name}" ${found.length} times; name it by its index`;
	}
	return `the header has no column "${at.name}"; it holds ${listNames(names)}`;
}
