// Writes trees of values as JSON text with marks, compact or indented.

import type { Dice } from './dice.ts';
import { mapText, type Pieces } from './draft.ts';

/** A JSON value: an object of pairs (a key may hold a mark, and may come twice), a list, a string, or bare characters. */
export type JsonTree =
	| { readonly pairs: readonly (readonly [Pieces | string, JsonTree])[] }
	| { readonly list: readonly JsonTree[] }
	| { readonly string: Pieces }
	| { readonly bare: Pieces };

export const string = (...value: Pieces): JsonTree => ({ string: value });
export const bare = (...value: Pieces): JsonTree => ({ bare: value });
export const object = (...pairs: readonly (readonly [Pieces | string, JsonTree])[]): JsonTree => ({ pairs });

/** Returns the tree as text, on one line if `indent` is empty. */
export function jsonText(tree: JsonTree, indent: string, blank: string, depth = 0): Pieces {
	const inner = indent === '' ? '' : `\n${indent.repeat(depth + 1)}`;
	const outer = indent === '' ? '' : `\n${indent.repeat(depth)}`;
	if ('string' in tree) return quote(tree.string);
	if ('bare' in tree) return tree.bare;
	const isList = 'list' in tree;
	const items: Pieces[] = isList
		? tree.list.map((item) => jsonText(item, indent, blank, depth + 1))
		: tree.pairs.map(([key, value]) => [
				...quote(typeof key === 'string' ? [key] : key),
				`:${blank}`,
				...jsonText(value, indent, blank, depth + 1),
			]);
	if (items.length === 0) return [isList ? '[]' : '{}'];
	const separated = items.flatMap((item, at) =>
		at === 0 ? [...item] : [',', indent === '' ? blank : '', inner, ...item],
	);
	return [isList ? '[' : '{', inner, ...separated, outer, isList ? ']' : '}'];
}

function quote(all: Pieces): Pieces {
	return ['"', ...mapText(all, (text) => JSON.stringify(text).slice(1, -1)), '"'];
}

/** Returns a number with one of its digits written as an escape, as a few serializers do. */
export function escapeDigits(dice: Dice, digits: string): string {
	const at = dice.below(digits.length);
	return `${digits.slice(0, at)}\\u00${digits.charCodeAt(at).toString(16)}${digits.slice(at + 1)}`;
}
