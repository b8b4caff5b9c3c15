// A request body in either format.

import { ServiceError } from '../errors.ts';
import { isNestedDeeper } from './json-depth.ts';
import { parseXml, type XmlElement } from './xml-reader.ts';

export { Members } from './members.ts';

/** A parsed body: JSON value or XML root. */
export type RequestBody =
	| { readonly format: 'json'; readonly value: unknown }
	| { readonly format: 'xml'; readonly root: XmlElement };

const MAX_DEPTH = 32;

/** Parses JSON text. @throws ServiceError `message-malformed` */
export function parseJsonBody(text: string): RequestBody {
	if (isNestedDeeper(text, MAX_DEPTH)) {
		throw new ServiceError('message-malformed', { moreInfo: `body: nested deeper than ${MAX_DEPTH}` });
	}
	try {
		return { format: 'json', value: JSON.parse(text) };
	} catch {
		// No cause: the parser's own message quotes the text.
		throw new ServiceError('message-malformed', { moreInfo: 'body: not valid JSON' });
	}
}

/** Parses an XML document. @throws ServiceError `message-malformed` */
export function parseXmlBody(text: string): RequestBody {
	return { format: 'xml', root: parseXml(text) };
}
