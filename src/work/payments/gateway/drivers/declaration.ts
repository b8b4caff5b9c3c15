// Reads the YAML of a declared gateway and checks it at start (docs/gateway.md shows every key).

import { z } from 'zod';
import { parseDeclared } from '../../../../base/settings/declared-file.ts';
import { OPERATIONS, RESULTS } from '../operation.ts';
import { ANSWER_FORMATS, PLACES } from './answer-reader.ts';

const NAME = /^[A-Za-z][A-Za-z0-9]{1,39}$/;
const HEADERS = z.record(z.string().regex(/^[A-Za-z0-9-]+$/), z.string());
const STATUS = /^([1-5]\d\d|[1-5]xx)$/;

const answer = z
	.strictObject({
		format: z.enum(ANSWER_FORMATS),
		/** The place of the value that `results` translates into our result. */
		result: z.string(),
		reference: z.string().optional(),
		code: z.string().optional(),
		description: z.string().optional(),
		authorizationCode: z.string().optional(),
		results: z.record(z.string(), z.enum(RESULTS)),
		/** These results are used for answers whose body has none of the values in `results`. */
		statuses: z.record(z.string().regex(STATUS, 'expected a status such as 402 or 4xx'), z.enum(RESULTS)).default({}),
	})
	.superRefine((value, context) => {
		for (const name of ['result', 'reference', 'code', 'description', 'authorizationCode'] as const) {
			const place = value[name];
			if (place === undefined || PLACES[value.format].test(place)) continue;
			context.addIssue({ code: 'custom', path: [name], message: `expected a place in ${value.format}` });
		}
	});

const body = z
	.strictObject({ json: z.string().optional(), xml: z.string().optional(), form: z.string().optional() })
	.refine((given) => Object.keys(given).length === 1, 'expected exactly one of json, xml, form');

const call = z.strictObject({
	method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('POST'),
	path: z.string().regex(/^\//, 'expected a path that begins with /'),
	headers: HEADERS.default({}),
	body: body.optional(),
	/** If present, this answer replaces the general `answer` for this call. */
	answer: answer.optional(),
});

const credential = z.strictObject({
	name: z.string().regex(NAME),
	description: z.string().default(''),
	secret: z.boolean().default(true),
	required: z.boolean().default(true),
});

const schema = z.strictObject({
	name: z.string().regex(NAME, 'expected letters and digits'),
	baseUrl: z
		.string()
		.regex(/^https?:\/\/[^\s?#@]+$/, 'expected an address without query or user name')
		.refine((text) => URL.canParse(text), 'expected an address'),
	credentials: z.array(credential).default([]),
	headers: HEADERS.default({}),
	answer: answer.optional(),
	operations: z
		.partialRecord(z.enum(OPERATIONS), call)
		.refine((given) => Object.keys(given).length > 0, 'expected at least one operation'),
	query: call
		.extend({
			/** If the gateway answers a query with one of these statuses, it does not know the order. */
			absentStatuses: z.array(z.int().min(400).max(499)).default([404]),
			absentAfterSeconds: z.int().min(0).max(86_400).default(300),
		})
		.optional(),
});

export type Declaration = z.infer<typeof schema>;
export type DeclaredCall = z.infer<typeof call>;
export type DeclaredAnswer = z.infer<typeof answer>;

/** @throws DeclarationError */
export function parseDeclaration(text: string, file: string) {
	return parseDeclared(schema, text, file);
}
