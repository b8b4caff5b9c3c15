// Writes trees of nodes as XML text with marks.

import type { Dice } from './dice.ts';
import { mapText, type Pieces } from './draft.ts';

/** A node of a document: an element, text, CDATA, a comment or an instruction. */
export type XmlNode =
	| XmlElement
	| { readonly text: Pieces }
	| { readonly cdata: Pieces }
	| { readonly comment: Pieces }
	| { readonly instruction: Pieces };

export interface XmlElement {
	readonly element: string;
	readonly attributes: readonly (readonly [string, Pieces])[];
	readonly children: readonly XmlNode[];
}

export function element(
	name: string,
	attributes: readonly (readonly [string, Pieces])[],
	...children: readonly XmlNode[]
): XmlElement {
	return { element: name, attributes, children };
}

export const text = (...value: Pieces): XmlNode => ({ text: value });

/** How a document is laid out. */
export interface XmlLayout {
	readonly lineEnd: string;
	readonly indent: string;
	readonly quote: string;
	readonly prefix: string;
}

export function xmlText(node: XmlNode, layout: XmlLayout, depth = 0): Pieces {
	if ('text' in node) return mapText(node.text, escaped);
	if ('cdata' in node) return ['<![CDATA[', ...node.cdata, ']]>'];
	if ('comment' in node) return ['<!--', ...mapText(node.comment, (each) => each.replaceAll('--', '- ')), '-->'];
	if ('instruction' in node) return ['<?note ', ...node.instruction, '?>'];
	const { quote, lineEnd, indent, prefix } = layout;
	const name = prefix + node.element;
	const attributes = node.attributes.flatMap(([key, value]) => [` ${key}=${quote}`, ...mapText(value, escaped), quote]);
	if (node.children.length === 0) return [`<${name}`, ...attributes, '/>'];
	const isMixed = node.children.some((child) => 'text' in child || 'cdata' in child);
	const before = (level: number) => (isMixed || indent === '' ? '' : lineEnd + indent.repeat(level));
	const children = node.children.flatMap((child) => [before(depth + 1), ...xmlText(child, layout, depth + 1)]);
	return [`<${name}`, ...attributes, '>', ...children, before(depth), `</${name}>`];
}

function escaped(value: string): string {
	return value.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Returns a number with one of its digits as a character reference. */
export function referDigits(dice: Dice, digits: string): string {
	const at = dice.below(digits.length);
	const code = digits.charCodeAt(at);
	return `${digits.slice(0, at)}&#${dice.percent(50) ? code : `x${code.toString(16)}`};${digits.slice(at + 1)}`;
}
