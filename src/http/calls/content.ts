// What bodies and answers hold, by content type. XML is written from the JSON example by the writer of real answers.

import type { TSchema } from '@sinclair/typebox';
import { type ItemNames, writeXml, writeXmlList } from '../negotiation/xml-writer.ts';

export interface Media {
	readonly schema: object;
	readonly example?: unknown;
}

/** By content type. */
export type Content = Readonly<Record<string, Media>>;

/** A value as callers see it in either format. */
export interface Shown {
	readonly schema: TSchema;
	readonly example?: unknown;
	/** The root element in XML; for a list the name of one item. */
	readonly root?: string;
	readonly items?: ItemNames;
	/** Given where the XML is not what the JSON looks like. */
	readonly xmlExample?: unknown;
}

/** A body in JSON or XML whose members a call reads by their names. */
export interface DocumentBody<S extends TSchema = TSchema> extends Shown {
	readonly schema: S;
	readonly example: unknown;
	readonly root: string;
}

/** A body that a call takes as it is. */
export interface OtherBody {
	readonly isRequired: boolean;
	readonly content: Content;
}

const TEXT = { type: 'string' };
export const BYTES = { type: 'string', format: 'binary' };

/** Returns the content of an answer in JSON and XML. */
export function jsonOrXml(shown: Shown): Content {
	return { 'text/json': media(shown.schema, shown.example), 'application/xml': media(TEXT, xmlOf(shown)) };
}

/** Returns the content of a request body in JSON and XML. */
export function contentOf(body: DocumentBody | OtherBody): Content {
	if ('content' in body) return body.content;
	return { 'application/json': media(body.schema, body.example), 'application/xml': media(TEXT, xmlOf(body)) };
}

function media(schema: object, example: unknown): Media {
	return example === undefined ? { schema } : { schema, example };
}

/** The same answer is in XML what the writer makes of it; a schema of its JSON would say something else. */
function xmlOf({ example, xmlExample = example, root, items }: Shown): string | undefined {
	if (root === undefined || xmlExample === undefined) return undefined;
	return Array.isArray(xmlExample) ? writeXmlList(root, xmlExample, items) : writeXml(root, xmlExample, items);
}

/** Text of which each line is a document by itself; `contentSchema` is that of a line. */
export function lines(contentSchema: TSchema, description: string) {
	return { type: 'string', description, contentMediaType: 'application/x-ndjson', contentSchema } as const;
}
