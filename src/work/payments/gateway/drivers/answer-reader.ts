// Reads values from a gateway's answer at the places that the gateway's declaration names.

import { readJson } from '../../../../base/read-json.ts';
import { readXmlValues } from './xml-text.ts';

export const ANSWER_FORMATS = ['json', 'xml', 'form'] as const;
export type AnswerFormat = (typeof ANSWER_FORMATS)[number];

/** The syntax of a place, which is the path to a value, for each format of answers. */
export const PLACES: Readonly<Record<AnswerFormat, RegExp>> = {
	/** The place in JSON is a JSON pointer (RFC 6901). */
	json: /^(\/([^~/]|~[01])*)+$/,
	xml: /^(\/[\w.-]+)+(\/@[\w.-]+)?$/,
	form: /^[^&=]+$/,
};

/** Returns undefined if the body has another format. */
export function readAnswer(
	body: Buffer,
	format: AnswerFormat,
	places: readonly string[],
): Map<string, string> | undefined {
	const text = body.toString('utf8');
	if (format === 'xml') return readXmlValues(text, places);
	if (format === 'form') {
		const fields = new URLSearchParams(text);
		return new Map(places.flatMap((place) => (fields.has(place) ? [[place, fields.get(place)!] as const] : [])));
	}
	const document = readJson(text);
	if (typeof document !== 'object' || document === null) return undefined;
	const values = new Map<string, string>();
	for (const place of places) {
		const value = follow(document, place);
		if (value !== undefined) values.set(place, value);
	}
	return values;
}

function follow(document: object, pointer: string): string | undefined {
	let value: unknown = document;
	for (const part of pointer.slice(1).split('/')) {
		const name = part.replaceAll('~1', '/').replaceAll('~0', '~');
		if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
		value = (value as Record<string, unknown>)[name];
	}
	return value === null || typeof value === 'object' || value === undefined ? undefined : String(value);
}
