// The failures of the interface in the words of the document, from the one catalogue.

import { catalogue, type ErrorRow, type Reason, ServiceError, standardErrorOf } from '../errors.ts';
import { writeXml } from './xml-writer.ts';

export const STANDARD_ERROR_SCHEMA = {
	type: 'object',
	required: ['code', 'message', 'moreInfo'],
	properties: {
		code: { type: 'integer', description: 'Narrows the class of failure.' },
		message: { type: ['string', 'null'], description: 'Fixed text of the code; with 403 the specific reason.' },
		moreInfo: { type: ['string', 'null'], description: 'What is wrong with which field; with 403 the fixed text.' },
	},
} as const;

const reasonsByStatus = Map.groupBy(Object.entries<ErrorRow>(catalogue), ([, { status }]) => status);

/** Component responses, one a status, with an example for every reason that has a body. */
export function errorResponses(): Record<string, object> {
	const responses = [...reasonsByStatus].map(([status, rows]) => [nameOf(status), responseOf(rows)]);
	const limited = {
		description: 'Empty. Too many failed logins from this address; a valid credential is never answered so.',
		headers: { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds.' } },
	};
	return Object.fromEntries([...responses, [nameOf(429), limited]]);
}

function responseOf(rows: readonly (readonly [string, ErrorRow])[]): object {
	const description = rows.map(([reason, { message }]) => `\`${reason}\`: ${message ?? 'empty body'}`).join('. ');
	const withBody = rows.filter(([, { code }]) => code !== null).map(([reason]) => reason as Reason);
	if (withBody.length === 0) return { description };
	const schema = { $ref: '#/components/schemas/StandardError' };
	const examples = (write: (reason: Reason) => unknown) =>
		Object.fromEntries(withBody.map((reason) => [reason, { value: write(reason) }]));
	return {
		description,
		content: {
			'text/json': { schema, examples: examples(exampleOf) },
			'application/xml': {
				schema: { type: 'string' },
				examples: examples((reason) => writeXml('ErrorBlock', exampleOf(reason))),
			},
		},
	};
}

const exampleOf = (reason: Reason) => standardErrorOf(new ServiceError(reason, { moreInfo: EXAMPLES[reason] }));

const EXAMPLES: Partial<Record<Reason, string>> = {
	'bad-input-data': 'num: must be >= 1',
	'bad-input-parameter': 'CVV: expected 3 or 4 digits',
	'message-malformed': 'line 1: not well-formed XML',
	'file-malformed': 'offset 120, line 3, record 2: a quoted field does not end',
	'permission-denied': 'Permission Tokenize is required',
	'sender-mismatch': 'SenderID: expected the user ID that the credential belongs to',
};

/** Which failures an operation can have, as references by status. */
export function responsesFor(operation: {
	readonly isPublic: boolean;
	readonly hasInput: boolean;
	readonly hasPathParameters: boolean;
}): Record<string, object> {
	const { isPublic, hasInput, hasPathParameters } = operation;
	const statuses = [
		...(hasInput ? [400] : []),
		...(isPublic ? [] : [401, 403, 429]),
		...(hasPathParameters ? [404] : []),
		...[500, 503],
	];
	return Object.fromEntries(statuses.map((status) => [status, { $ref: `#/components/responses/${nameOf(status)}` }]));
}

function nameOf(status: number): string {
	return `Error${status}`;
}

/** One row a reason, in Markdown. */
export function errorTable(): string {
	const rows = Object.entries<ErrorRow>(catalogue).map(
		([reason, { status, code, message }]) =>
			`| \`${reason}\` | ${status} | ${code ?? ''} | ${message ?? 'empty body'} |`,
	);
	return ['| Reason | HTTP | Code | Message |', '|---|---|---|---|', ...rows].join('\n');
}
