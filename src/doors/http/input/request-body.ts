// Parses a request body in JSON or XML.

import { badInput, ServiceError } from '../../../base/errors.ts';
import { maskBeginning } from '../../../base/log/masked-beginning.ts';
import { readJson } from '../../../base/read-json.ts';
import { shapeOf } from './json-shape.ts';
import { parseXml, type XmlElement } from './xml-reader.ts';

/** A parsed body: the value if it was JSON, or the root element if it was XML. */
export type RequestBody =
	| { readonly format: 'json'; readonly value: unknown }
	| { readonly format: 'xml'; readonly root: XmlElement };

const MAX_NAME_CHARACTERS = 64;

/** @throws ServiceError `message-malformed`, or `bad-input-data` if an object has the same name twice */
export function parseJsonBody(text: string): Extract<RequestBody, { format: 'json' }> {
	const { excess: problem, repeated } = shapeOf(text);
	if (problem !== undefined) throw new ServiceError('message-malformed', { field: 'body', problem });
	const value = readJson(text);
	if (value === undefined) throw new ServiceError('message-malformed', { field: 'body', problem: 'not valid JSON' });
	if (repeated === undefined) return { format: 'json', value };
	throw badInput('body', `${maskBeginning(repeated, MAX_NAME_CHARACTERS)} expected only once in an object`);
}

/** @throws ServiceError `message-malformed` */
export function parseXmlBody(text: string): RequestBody {
	return { format: 'xml', root: parseXml(text) };
}
