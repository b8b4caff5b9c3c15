// What all routes of SCIM share: how a request is read, and how a document is answered.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseJsonBody } from '../input/request-body.ts';
import { ScimError } from './scim-error.ts';

export const PATH = '/scim/v2';
export const OPTIONS = { config: { isPublic: true }, schema: { hide: true } } as const;
/** A list ends here, whatever is asked for. */
export const MOST_RESULTS = 1_000;
/** A list has no more entries, such as the members of a group, who are people of whom no more are listed either. */
export const MOST_ENTRIES = 1_000;

const TYPE = 'application/scim+json; charset=utf-8';
const LIST_SCHEMA = 'urn:ietf:params:scim:api:messages:2.0:ListResponse';

export type Attributes = Record<string, unknown>;

/** Returns the body of a request. @throws an error if it is no object, or exceeds the limits of every body in JSON */
export function bodyOf({ body }: FastifyRequest): Attributes {
	const { value } = parseJsonBody((body as Buffer | undefined)?.toString() ?? '');
	if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Attributes;
	throw new ScimError(400, 'the body is no JSON object', 'invalidSyntax');
}

export function userIdOf(id: string): number | undefined {
	return /^\d{1,15}$/.test(id) ? Number(id) : undefined;
}

/** Returns a function that cuts what a request asks for out of a list, as the document of a list. */
export function pageAsked({ query }: FastifyRequest) {
	const { startindex, count } = query as Record<string, string | undefined>;
	const start = Math.max(1, readNumber('startIndex', startindex, 1));
	const most = Math.min(MOST_RESULTS, Math.max(0, readNumber('count', count, 100)));
	return <T>(all: readonly T[], documentOf: (item: T) => object) =>
		listed(all.slice(start - 1, start - 1 + most).map(documentOf), start, all.length);
}

export function listed(resources: readonly object[], startIndex: number, totalResults: number) {
	return { schemas: [LIST_SCHEMA], totalResults, startIndex, itemsPerPage: resources.length, Resources: resources };
}

export function answer(reply: FastifyReply, document: object) {
	return reply.header('cache-control', 'no-store').type(TYPE).send(JSON.stringify(document));
}

/** Returns the entries of a list; one that stands alone counts as a list. @throws ScimError if they are too many */
export function listOf(field: string, value: unknown): readonly unknown[] {
	if (isAbsent(value)) return [];
	if (!Array.isArray(value)) return [value];
	if (value.length > MOST_ENTRIES) throw wrong(field, `expected at most ${MOST_ENTRIES} entries`);
	return value;
}

/** @throws ScimError if it is no object */
export function asObject(field: string, value: unknown): Attributes {
	if (typeof value !== 'object' || value === null || Array.isArray(value)) throw wrong(field, 'expected an object');
	return value as Attributes;
}

export function isAbsent(value: unknown): boolean {
	return value === undefined || value === null || value === '';
}

/** Returns a text, or null if there is none. @throws ScimError for anything else */
export function optionalText(field: string, value: unknown): string | null {
	return isAbsent(value) ? null : text(field, value);
}

/** @throws ScimError if it is no text, or one that a database cannot keep as it is */
export function text(field: string, value: unknown): string {
	if (typeof value !== 'string') throw wrong(field, 'expected a text');
	if (!isStorable(value)) throw wrong(field, 'expected text without NUL characters and halves of characters');
	return value;
}

/** Tells whether every database keeps a text as it is. */
export function isStorable(value: string): boolean {
	return !value.includes('\0') && value.isWellFormed();
}

export function wrong(field: string, problem: string): ScimError {
	return new ScimError(400, `${field}: ${problem}`, 'invalidValue');
}

function readNumber(name: string, given: string | undefined, otherwise: number): number {
	if (given === undefined) return otherwise;
	if (!/^-?\d{1,9}$/.test(given)) throw wrong(name, 'expected a number');
	return Number(given);
}
