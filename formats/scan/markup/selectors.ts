import { z } from 'zod';
import { FIELD, type Field, type FieldReading, type HeldCard, type Meaning } from '../held-card.ts';
import { foldCase, NameMemo } from '../name-memo.ts';
import type { OpenElements } from './elements.ts';

const NAME = '[^\\s/@:]+';
const STEP = `(?:${NAME}:)?${NAME}`;
const STEPS = `${STEP}(?:/${STEP})*`;

/**
 * Accepts `//t:Payment/@Nr`, `Payment/Card/Number` and `@Nr`: child steps by name, where only the last may be an
 * attribute.
 */
const PATH_PATTERN = new RegExp(`^(?://?)?(?:${STEPS}(?:/@${STEP})?|@${STEP})$`);
/** Accepts the same paths as `PATH_PATTERN`, without an attribute. */
const ELEMENT_PATH_PATTERN = new RegExp(`^(?://?)?${STEPS}$`);

/** A path has at most this many characters. */
const LONGEST_PATH = 500;

/** Accepts one path, or several paths to the same field. */
const paths = (pattern: RegExp) => {
	const path = z.string().max(LONGEST_PATH).regex(pattern, 'expected a path such as //Payment/@Number or Card/Number');
	return z.union([path.transform((one) => [one]), z.array(path).min(1).max(50)]);
};
const valuePaths = paths(PATH_PATTERN).optional();

/** Declares the paths to the fields of one kind of card element. */
export const selectorOption = z.strictObject({
	container: paths(ELEMENT_PATH_PATTERN),
	number: paths(PATH_PATTERN),
	expiry: valuePaths,
	expiryMonth: valuePaths,
	expiryYear: valuePaths,
	cvv: valuePaths,
	type: valuePaths,
	name: valuePaths,
	reference: valuePaths,
});

type CardSelector = z.infer<typeof selectorOption>;

export const ANYWHERE = 0;
export const FROM_CONTAINER = 1;
const FROM_ROOT = 2;

/** Describes one path, with its names as codes. */
export interface MarkupPath extends Meaning {
	readonly selector: number;
	/** The codes of the element steps, outermost first. */
	readonly steps: readonly number[];
	readonly from: number;
	readonly isWithoutContainer: boolean;
}

/**
 * Holds paths prepared for matching. The paths that end with the same name are in one list, in the order in which they
 * are tried; the code of that name is the index of the list.
 */
export interface MarkupSelectors {
	readonly elementNames: NameCodes;
	readonly attributeNames: NameCodes;
	readonly containers: readonly (readonly MarkupPath[] | undefined)[];
	readonly elementFields: readonly (readonly MarkupPath[] | undefined)[];
	/** The paths to attributes. Their steps lead to the element that has the attribute. */
	readonly attributeFields: readonly (readonly MarkupPath[] | undefined)[];
	readonly isWithoutContainer: readonly boolean[];
	/**
	 * Tells whether an element with this code may have its name in an attribute, as in `<Field Name="CVC">123</Field>`.
	 * `isPairName` tells whether an attribute holds that name.
	 */
	isPair?(element: number): boolean;
	isPairName?(attribute: number): boolean;
	readonly reading: FieldReading;
}

/** Maps names to codes; a name that occurs in no path has the code 0. */
type NameCodes = Pick<NameMemo, 'find'>;

/** Gives each name in an account's paths a code, from 1 on. The case of ASCII letters is ignored. */
class OwnNames {
	readonly memo = new NameMemo((name) => this.#codes.get(foldCase(name.toString('latin1'))) ?? 0, LONGEST_PATH * 4);
	/** The bytes of names as Latin-1, each as UTF-8 spells it and as Latin-1 does, because files may use either. */
	readonly #codes = new Map<string, number>();
	#count = 0;

	/** Returns the code of a name, of which a prefix is ignored. */
	code(name: string): number {
		const local = foldCase(name.slice(name.indexOf(':') + 1));
		const spelled = Buffer.from(local).toString('latin1');
		const code = this.#codes.get(spelled) ?? ++this.#count;
		for (const each of [spelled, local]) if (!this.#codes.has(each)) this.#codes.set(each, code);
		return code;
	}
}

const FIELDS: readonly (readonly [Exclude<keyof CardSelector, 'container'>, Field])[] = [
	['number', FIELD.NUMBER],
	['cvv', FIELD.CVV],
	['expiry', FIELD.EXPIRY],
	['expiryMonth', FIELD.MONTH],
	['expiryYear', FIELD.YEAR],
	['type', FIELD.TYPE],
	['name', FIELD.NAME],
	['reference', FIELD.REFERENCE],
];

/** Returns the selectors of an account, in the order given. */
export function ownSelectors(selectors: readonly CardSelector[], reading: FieldReading): MarkupSelectors {
	const elements = new OwnNames();
	const attributes = new OwnNames();
	const containers: MarkupPath[][] = [];
	const elementFields: MarkupPath[][] = [];
	const attributeFields: MarkupPath[][] = [];
	const add = (path: string, selector: number, field: Field, byElement: MarkupPath[][]) => {
		const names = path.split('/').filter((name) => name !== '');
		const last = names[names.length - 1];
		const isAttribute = last.startsWith('@');
		const steps = (isAttribute ? names.slice(0, -1) : names).map((name) => elements.code(name));
		const isAnywhere = path.startsWith('//') || (field === FIELD.NONE && !path.startsWith('/'));
		const from = isAnywhere ? ANYWHERE : path.startsWith('/') ? FROM_ROOT : FROM_CONTAINER;
		const compiled = { selector, field, steps, from, ...OWN };
		const lists = isAttribute ? attributeFields : byElement;
		const code = isAttribute ? attributes.code(last.slice(1)) : steps[steps.length - 1];
		(lists[code] ??= []).push(compiled);
	};
	for (const [index, selector] of selectors.entries()) {
		for (const path of selector.container) add(path, index, FIELD.NONE, containers);
		for (const [key, field] of FIELDS) {
			for (const path of selector[key] ?? []) add(path, index, field, elementFields);
		}
	}
	const isWithoutContainer = selectors.map(() => false);
	const names = { elementNames: elements.memo, attributeNames: attributes.memo };
	return { ...names, containers, elementFields, attributeFields, isWithoutContainer, reading };
}

/**
 * All paths that an account gives have these properties. Their names are exact, so a value needs no other evidence that
 * it is a card's.
 */
const OWN = { isWithoutContainer: false, isSure: true, isBare: false, isWord: false, isCode: false, gate: 0 };

/** Tells whether the innermost elements are the steps of `path`, one below the other. */
export function endsWith(elements: OpenElements, path: MarkupPath): boolean {
	const { steps } = path;
	const top = elements.depth - steps.length;
	if (top < 0 || (path.from === FROM_ROOT && top !== 0)) return false;
	for (let i = 0; i < steps.length; i++) if (elements.codes[top + 1 + i] !== steps[i]) return false;
	return true;
}

/**
 * Tells whether a field path that `endsWith` accepts belongs to the open card `card`. A path without `//` leads down
 * from the container; it may also name the container and elements above it.
 */
export function isWithin(elements: OpenElements, path: MarkupPath, card: HeldCard): boolean {
	return path.from !== FROM_CONTAINER || elements.depth - path.steps.length <= card.depth;
}
