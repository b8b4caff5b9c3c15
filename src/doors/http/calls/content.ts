// Describes for the OpenAPI document, by content type, what bodies of requests and answers look like. The XML examples
// are generated from the JSON examples by the code that also writes real answers.

import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { named } from '../input/schema-notes.ts';
import { type ItemNames, writeXml, writeXmlList } from '../negotiation/xml-writer.ts';

export interface Media {
	readonly schema: object;
	readonly example?: unknown;
}

export type Content = Readonly<Record<string, Media>>;

/** Describes a value that callers can send or get as JSON or as XML. */
export interface Shown {
	readonly schema: TSchema;
	readonly example?: unknown;
	/** The name of the root element in XML. If the value is a list, it is the name of the element of one item. */
	readonly root?: string;
	readonly items?: ItemNames;
	/** An example for XML. It is needed only if the XML has other members than the JSON. */
	readonly xmlExample?: unknown;
}

/** Describes a request body in JSON or XML whose members the call reads by their names. */
export interface DocumentBody<S extends TSchema = TSchema> extends Shown {
	readonly schema: S;
	readonly example: unknown;
	readonly root: string;
}

/** Describes a body that a call reads as bytes, without parsing it. */
export interface OtherBody {
	readonly isRequired: boolean;
	readonly content: Content;
}

const TEXT = { type: 'string' };
export const BYTES = { type: 'string', format: 'binary' };

export function jsonOrXml(shown: Shown): Content {
	return { 'text/json': media(shown.schema, shown.example), 'application/xml': media(TEXT, xmlOf(shown)) };
}

export function contentOf(body: DocumentBody | OtherBody): Content {
	if ('content' in body) return body.content;
	return { 'application/json': media(body.schema, body.example), 'application/xml': media(TEXT, xmlOf(body)) };
}

function media(schema: object, example: unknown): Media {
	return example === undefined ? { schema } : { schema, example };
}

/**
 * Returns the example as XML. There is no schema for the XML: the schema describes the JSON, and the XML that is
 * written from the same value has another structure.
 */
function xmlOf({ example, xmlExample = example, root, items }: Shown): string | undefined {
	if (root === undefined || xmlExample === undefined) return undefined;
	return Array.isArray(xmlExample) ? writeXmlList(root, xmlExample, items) : writeXml(root, xmlExample, items);
}

type MembersOf<T> = { readonly [Name in keyof T]: readonly [schema: T[Name], example?: StaticOf<T[Name]>] };
type StaticOf<S> = S extends TSchema ? Static<S> : never;

/** Describes an object by its members, each with its schema and its value in the example, where only optional ones lack it. */
export function membersOf<T extends TProperties>(members: MembersOf<T>) {
	const entries = Object.entries<readonly [schema: TSchema, example?: unknown]>(members);
	const properties = Object.fromEntries(entries.map(([member, [schema]]) => [member, schema])) as T;
	const example = Object.fromEntries(entries.flatMap(([member, of]) => (of.length > 1 ? [[member, of[1]]] : [])));
	return { schema: Type.Object(properties), example: example as { [Name in keyof T]: StaticOf<T[Name]> } };
}

/** Describes an answer in the same way. `name` is that of its schema in the OpenAPI document. */
export function answerOf<T extends TProperties>(
	shape: string | { readonly root: string; readonly items: ItemNames },
	name: string,
	members: MembersOf<T>,
) {
	const { schema, example } = membersOf(members);
	return { ...(typeof shape === 'string' ? { root: shape } : shape), schema: named(name, schema), example };
}

/** Describes a list of such answers. */
export function listOf<Of extends Shown>(of: Of) {
	return { ...of, schema: Type.Array(of.schema), example: [of.example] };
}

/** Describes a text in which each line is a JSON document by itself; `contentSchema` is the schema of one line. */
export function lines(contentSchema: TSchema, description: string) {
	return { type: 'string', description, contentMediaType: 'application/x-ndjson', contentSchema } as const;
}
