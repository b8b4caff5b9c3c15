// The failures of the interface for the OpenAPI document, taken from the one catalogue.

import { catalogue, type ErrorRow, type Reason, ServiceError, standardErrorOf } from '../../errors.ts';
import { writeXml } from '../negotiation/xml-writer.ts';
import { RETRY_AFTER } from './headers.ts';

export const STANDARD_ERROR_SCHEMA = {
	type: 'object',
	required: ['code', 'message', 'moreInfo'],
	properties: {
		code: { type: 'integer', description: 'Narrows the class of failure.' },
		message: { type: ['string', 'null'], description: 'Fixed text of the code; with 403 the specific reason.' },
		moreInfo: { type: ['string', 'null'], description: 'What is wrong with which field; with 403 the fixed text.' },
	},
} as const;

/** The other kind of 400 (spec §7.2.4). */
export const FIELD_ERRORS_SCHEMA = {
	type: 'object',
	required: ['errors'],
	properties: {
		errors: {
			type: 'object',
			description: 'What is wrong, by the name of the field.',
			additionalProperties: { type: 'array', items: { type: 'string' } },
		},
	},
} as const;

/** A JSON error has the type `text/json` (spec §7.2.1), but asking for that type does not bring JSON. */
export const JSON_ERRORS_ONLY =
	'JSON comes as `text/json`, and only where the whole `Accept` header is `application/json`; with `Accept: text/json` too the error is XML.';

const FIELDS_OR_STANDARD = 'Error400Fields';
const fieldsOrStandard = {
	description:
		'Every invalid field of the body in `errors`, in the format of a successful answer; all else as a standard error.',
	content: {
		'text/json': {
			schema: { anyOf: [{ $ref: '#/components/schemas/FieldErrors' }, { $ref: '#/components/schemas/StandardError' }] },
			example: { errors: { 'Credentials.ApiKey': ['is required'] } },
		},
		'application/xml': {
			schema: { type: 'string' },
			example: writeXml(
				'ValidationErrors',
				{ errors: [{ '@field': 'Credentials.ApiKey', message: 'is required' }] },
				{ errors: 'error' },
			),
		},
	},
};

const BEARER_REFUSED = 'Error401Bearer';
/** Spec §5.4.3. */
const bearerRefused = () => {
	const { description, content } = responseOf([['bearer-required', catalogue['bearer-required']]]) as Answered;
	return {
		description: `${description}; plain text for a session token that is not good`,
		content: { ...content, 'text/plain': { schema: { type: 'string' }, example: 'Session token is invalid' } },
	};
};

interface Answered {
	readonly description: string;
	readonly content: object;
}

/** A wrong method is no answer of any operation. */
const documented = Object.entries<ErrorRow>(catalogue).filter(([, { status }]) => status !== 405);
const reasonsByStatus = Map.groupBy(documented, ([, { status }]) => status);

/** Returns component responses, one for each status, with an example for every reason that has a body. */
export function errorResponses(): Record<string, object> {
	const responses = [...reasonsByStatus].map(([status, rows]) => [nameOf(status), responseOf(rows)]);
	const limited = {
		description: 'Empty. Too many failed logins from this address; a valid credential is never answered so.',
		headers: RETRY_AFTER,
	};
	return Object.fromEntries([
		...responses,
		[nameOf(429), limited],
		[FIELDS_OR_STANDARD, fieldsOrStandard],
		[BEARER_REFUSED, bearerRefused()],
	]);
}

function responseOf(rows: readonly (readonly [string, ErrorRow])[]): object {
	const reasons = rows.map(([reason, { message }]) => `\`${reason}\`: ${message ?? 'empty body'}`).join('; ');
	const withBody = rows.filter(([, { code }]) => code !== null).map(([reason]) => reason as Reason);
	if (withBody.length === 0) return { description: reasons };
	const description = `${reasons}. ${JSON_ERRORS_ONLY}`;
	const schema = { $ref: '#/components/schemas/StandardError' };
	const headers = rows.some(([, { retryable }]) => retryable) ? { headers: RETRY_AFTER } : {};
	const examples = (write: (reason: Reason) => unknown) =>
		Object.fromEntries(withBody.map((reason) => [reason, { value: write(reason) }]));
	return {
		...{ description, ...headers },
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
	'bearer-required': 'Authorization: expected Bearer and the session token',
	'cvv-retention-not-set-up': 'saveCVV: expected false, since the account keeps no CVV',
	'uri-not-found': 'cardToken: no such token',
};

/** Returns the failures that an operation can have, as references by status. */
export function responsesFor(operation: {
	readonly isPublic: boolean;
	readonly isBearer: boolean;
	readonly callsOut: boolean;
	readonly listsFields: boolean;
	readonly hasInput: boolean;
	/** The failure of a token or an id in the path or the query. */
	readonly namesSomething: boolean;
}): Record<string, object> {
	const { isPublic, isBearer, callsOut, listsFields, hasInput, namesSomething } = operation;
	const statuses = [
		...(hasInput ? [400] : []),
		...(isPublic ? [] : [401, 403, 429]),
		...(namesSomething ? [404] : []),
		...(callsOut ? [500, 502, 503, 504] : [500, 503]),
	];
	return Object.fromEntries(
		statuses.map((status) => {
			const special = status === 400 && listsFields ? FIELDS_OR_STANDARD : status === 401 && isBearer && BEARER_REFUSED;
			return [status, { $ref: `#/components/responses/${special || nameOf(status)}` }];
		}),
	);
}

function nameOf(status: number): string {
	return `Error${status}`;
}

/** Returns a table in Markdown with one row for each reason. */
export function errorTable(): string {
	const rows = Object.entries<ErrorRow>(catalogue).map(
		([reason, { status, code, message }]) =>
			`| \`${reason}\` | ${status} | ${code ?? ''} | ${message ?? 'empty body'} |`,
	);
	return ['| Reason | HTTP | Code | Message |', '|---|---|---|---|', ...rows].join('\n');
}
