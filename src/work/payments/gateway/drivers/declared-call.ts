// Prepares one call of a declared gateway. Its templates are parsed and tried once at start.

import { readJson } from '../../../../base/read-json.ts';
import { DeclarationError, type PlaceOf } from '../../../../base/settings/declared-file.ts';
import type { Operation } from '../operation.ts';
import type { DeclaredCall } from './declaration.ts';
import { type DeclaredCredential, optionalValues, sampleValues, valueNames } from './declared-values.ts';
import { parseTemplate, type Syntax, type Template, TemplateError, type Values } from './template.ts';
import { isWellFormed } from './xml-text.ts';

const CONTENT_TYPES = {
	json: 'application/json',
	xml: 'application/xml; charset=utf-8',
	form: 'application/x-www-form-urlencoded',
} as const;

export interface PreparedCall {
	readonly method: string;
	/**
	 * Fills the templates with these values.
	 * @throws TemplateError if a value is missing or not allowed in its place
	 */
	render(values: Values): { readonly url: URL; readonly headers: string[]; readonly body: Buffer | null };
}

export interface CallPlace {
	readonly baseUrl: string;
	readonly headers: Readonly<Record<string, string>>;
	readonly credentials: readonly DeclaredCredential[];
	readonly placeOf: PlaceOf;
	readonly path: readonly string[];
}

/** @throws DeclarationError if a template is invalid, or its result does not have the declared format */
export function prepareCall(call: DeclaredCall, operation: Operation | 'query', place: CallPlace): PreparedCall {
	const names = valueNames(operation, place.credentials);
	const parse = (text: string, syntax: Syntax, ...path: string[]): Template =>
		orPlace(place, path, () => parseTemplate(text, syntax, names));
	const address = parse(call.path, 'path', 'path');
	const headers = Object.entries({ ...place.headers, ...call.headers }).map(
		([name, text]) => [name, parse(text, 'header', 'headers', name)] as const,
	);
	const [syntax, text] = (Object.entries(call.body ?? {})[0] ?? []) as [keyof typeof CONTENT_TYPES | undefined, string];
	const body = syntax && parse(text, syntax, 'body', syntax);
	const prepared: PreparedCall = {
		method: call.method,
		render(values) {
			const given: string[] = [];
			for (const [name, template] of headers) given.push(name, template.render(values));
			const isTyped = headers.some(([name]) => name.toLowerCase() === 'content-type');
			if (syntax && !isTyped) given.push('Content-Type', CONTENT_TYPES[syntax]);
			return {
				url: new URL(place.baseUrl.replace(/\/$/, '') + checkedPath(address.render(values))),
				headers: given,
				body: body ? Buffer.from(body.render(values)) : null,
			};
		},
	};
	for (const absent of [new Set<string>(), optionalValues(place.credentials)]) {
		const sample = sampleValues(names, absent);
		orPlace(place, ['path'], () => checkedPath(address.render(sample)));
		for (const [name, template] of headers) orPlace(place, ['headers', name], () => template.render(sample));
		if (syntax && body) orPlace(place, ['body'], () => check(syntax, body.render(sample)));
	}
	return prepared;
}

/**
 * Refuses a path in which a segment is `.` or `..`, because a URL treats such a segment as a step to another folder,
 * even if its dots are percent-encoded.
 */
function checkedPath(text: string): string {
	const [path] = text.split(/[?#]/, 1);
	if (/\/(\.|%2e){1,2}(\/|$)/i.test(path)) throw new TemplateError('a value that cannot stand in a path');
	return text;
}

function check(syntax: keyof typeof CONTENT_TYPES, sample: string): void {
	if (syntax === 'json' && readJson(sample) === undefined)
		throw new TemplateError('does not make JSON with every set of values');
	if (syntax === 'xml' && !isWellFormed(sample)) throw new TemplateError('does not make well-formed XML');
	if (syntax === 'form' && !/^[^\s=&]+=[^\s=&]*(&[^\s=&]+=[^\s=&]*)*$/.test(sample)) {
		throw new TemplateError('does not make form fields: expected name=value&name=value on one line');
	}
}

function orPlace<T>({ placeOf, path }: CallPlace, more: string[], run: () => T): T {
	try {
		return run();
	} catch (error) {
		if (!(error instanceof TemplateError)) throw error;
		throw new DeclarationError(`${placeOf([...path, ...more])}: ${error.message}`);
	}
}
