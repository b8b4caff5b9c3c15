// Fills text with placeholders: `{{card.number}}` is replaced by the value, encoded for its place. The text between
// `{{#card.cvv}}` and `{{/card.cvv}}` is left out if there is no such value.

import { escapeXml } from './xml-text.ts';

export type Syntax = 'json' | 'xml' | 'form' | 'path' | 'header';

/** Holds values by name; undefined if there is none. */
export type Values = ReadonlyMap<string, string | undefined>;

export interface Template {
	/**
	 * Returns the text with the values in place.
	 * @throws TemplateError if a placeholder outside a section has no value
	 */
	render(values: Values): string;
}

/** This error is thrown if the template is invalid. The message never contains a value. */
export class TemplateError extends Error {
	override readonly name = 'TemplateError';
}

type Encode = (value: string) => string;
type Part =
	| { readonly text: string }
	| { readonly value: string; readonly encode: Encode }
	| { readonly section: string; readonly parts: Part[] };

const TAG = /\{\{([#/]?)\s*([\w.]+)\s*\}\}/g;
const JSON_NUMBER = /^(0|[1-9]\d{0,14})(\.\d+)?$/;

const ENCODE: Readonly<Record<Exclude<Syntax, 'json'>, Encode>> = {
	xml: escapeXml,
	form: encodePart,
	path: encodePart,
	header: (value) => {
		if (!/^[\x20-\x7e]*$/.test(value)) throw new TemplateError('a value that cannot stand in a header');
		return value;
	},
};

/** @throws TemplateError for unknown placeholders or sections that are not closed */
export function parseTemplate(text: string, syntax: Syntax, names: ReadonlySet<string>): Template {
	const root: Part[] = [];
	const open: { name: string; parts: Part[] }[] = [{ name: '', parts: root }];
	let end = 0;
	let isQuoted = false;
	const addText = (piece: string) => {
		if (/\{\{|\}\}/.test(piece)) throw new TemplateError('braces that belong to no placeholder');
		if (syntax === 'json') isQuoted = isInsideString(piece, isQuoted);
		open.at(-1)!.parts.push({ text: piece });
	};
	for (const { 0: tag, 1: kind, 2: name, index } of text.matchAll(TAG)) {
		addText(text.slice(end, index));
		end = index + tag.length;
		if (!names.has(name)) throw new TemplateError(`{{${name}}} is not known here`);
		if (kind === '#') {
			const parts: Part[] = [];
			open.at(-1)!.parts.push({ section: name, parts });
			open.push({ name, parts });
		} else if (kind === '/') {
			if (open.pop()!.name !== name) throw new TemplateError(`{{/${name}}} closes nothing`);
		} else {
			const encode = syntax === 'json' ? (isQuoted ? jsonString : jsonValue) : ENCODE[syntax];
			open.at(-1)!.parts.push({ value: name, encode });
		}
	}
	addText(text.slice(end));
	if (open.length > 1) throw new TemplateError(`{{#${open.at(-1)!.name}}} is not closed`);
	return { render: (values) => renderParts(root, values) };
}

function renderParts(parts: readonly Part[], values: Values): string {
	return parts
		.map((part) => {
			if ('text' in part) return part.text;
			if ('section' in part) return values.get(part.section) ? renderParts(part.parts, values) : '';
			const value = values.get(part.value);
			if (value === undefined) throw new TemplateError(`{{${part.value}}} has no value`);
			return part.encode(value);
		})
		.join('');
}

/** Tells whether a JSON text ends inside a string, given whether it began inside one. */
function isInsideString(text: string, isQuoted: boolean): boolean {
	for (let i = 0; i < text.length; i++) {
		if (isQuoted && text[i] === '\\') i++;
		else if (text[i] === '"') isQuoted = !isQuoted;
	}
	return isQuoted;
}

/** Encodes a value for a URL. A lone surrogate has no encoding, so it is replaced rather than refused. */
function encodePart(value: string): string {
	return encodeURIComponent(value.toWellFormed());
}

function jsonString(value: string): string {
	return JSON.stringify(value).slice(1, -1);
}

/** Writes a value in JSON. Outside quotes a number is written as a number, anything else as a string. */
function jsonValue(value: string): string {
	return JSON_NUMBER.test(value) ? value : JSON.stringify(value);
}
