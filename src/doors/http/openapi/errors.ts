// Lists the failures of each call for the OpenAPI document; their texts come from the error catalogue (src/base/errors.ts).
// Calls that fail for the same reasons share one component for each status.

import { Type } from '@sinclair/typebox';
import { catalogue, type ErrorRow, type Reason, ServiceError, standardErrorOf } from '../../../base/errors.ts';
import type { Call } from '../calls/call.ts';
import { jsonOrXml } from '../calls/content.ts';
import { reasonsOf } from '../calls/reasons.ts';
import { named } from '../input/schema-notes.ts';
import { writeXml } from '../negotiation/xml-writer.ts';
import { ALWAYS, type NamedSchemas } from './schemas.ts';

const textOrNull = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description });
const STANDARD_ERROR = named(
	'StandardError',
	Type.Object({
		code: Type.Integer({ description: 'Narrows the class of failure.' }),
		message: textOrNull('Fixed text of the code; with 403 the specific reason.'),
		moreInfo: textOrNull('What is wrong with which field; with 403 the fixed text.'),
	}),
);
/** The schema of the second form of a 400, which lists every invalid field (spec §7.2.4). */
const FIELD_ERRORS = named(
	'FieldErrors',
	Type.Object({
		errors: Type.Unsafe<Record<string, string[]>>({
			type: 'object',
			description: 'What is wrong, by the name of the field.',
			additionalProperties: { type: 'array', items: { type: 'string' } },
		}),
	}),
);

/**
 * Tells readers of the document two peculiarities of errors: JSON errors have the type `text/json` (spec §7.2.1), but a
 * caller whose `Accept` header is `text/json` gets errors in XML.
 */
export const JSON_ERRORS_ONLY =
	'JSON comes as `text/json`, and only where the whole `Accept` header is `application/json`; with `Accept: text/json` too the error is XML.';

const RETRY_AFTER = { 'Retry-After': { schema: { type: 'integer' }, description: 'Seconds.' } };

/** The reasons that most calls share. They are left out of the names of components, which would otherwise be long. */
const COMMON: ReadonlySet<Reason> = new Set([
	...(['bad-input-data', 'authentication-failed', 'permission-denied', 'uri-not-found', 'call-repeated'] as const),
	...(['system-error', 'target-unreachable', 'database-unavailable', 'request-timed-out', 'bearer-required'] as const),
]);

export class ErrorAnswers {
	readonly #components: Record<string, object> = {};
	readonly #schemas: NamedSchemas;

	constructor(schemas: NamedSchemas) {
		this.#schemas = schemas;
	}

	of(call: Call): Record<string, object> {
		const rows = [...reasonsOf(call)].sort().map((reason): Row => [reason, catalogue[reason]]);
		const byStatus = Map.groupBy(rows, ([, { status }]) => status);
		const answers = [...byStatus].map(([status, found]) => [status, this.#answerOf(call, status, found)]);
		if (call.needs.credential !== 'none') answers.push([429, this.#add('Error429', () => LIMITED)]);
		return Object.fromEntries(answers);
	}

	get components(): Readonly<Record<string, object>> {
		const sorted = Object.entries(this.#components).sort(([a], [b]) => (a < b ? -1 : 1));
		return Object.fromEntries(sorted);
	}

	#answerOf({ bodyErrors, needs }: Call, status: number, rows: readonly Row[]): object {
		if (status === 400 && bodyErrors === 'listed') return this.#add('Error400Fields', () => this.#fields());
		const isBearer = status === 401 && needs.credential === 'wallet-session';
		const special = rows.map(([reason]) => reason).filter((reason) => !COMMON.has(reason));
		const hasCommon = special.length < rows.length;
		const name = `Error${status}${hasCommon ? '' : 'Only'}${special.map(pascal).join('')}`;
		return this.#add(isBearer ? `${name}Bearer` : name, () => {
			const answer = this.#responseOf(rows);
			return isBearer ? withPlainText(answer) : answer;
		});
	}

	#add(name: string, make: () => object): object {
		this.#components[name] ??= make();
		return { $ref: `#/components/responses/${name}` };
	}

	#responseOf(rows: readonly Row[]): Answered {
		const reasons = rows.map(([reason, { message }]) => `\`${reason}\`: ${message ?? 'empty body'}`).join('; ');
		const withBody = rows.filter(([, { code }]) => code !== null).map(([reason]) => reason);
		if (withBody.length === 0) return { description: reasons, headers: ALWAYS };
		const headers = { ...(rows.some(([, { retryable }]) => retryable) && RETRY_AFTER), ...ALWAYS };
		const examples = (write: (reason: Reason) => unknown) =>
			Object.fromEntries(withBody.map((reason) => [reason, { value: write(reason) }]));
		return {
			description: `${reasons}. ${JSON_ERRORS_ONLY}`,
			headers,
			content: {
				'text/json': { schema: this.#schemas.refer(STANDARD_ERROR), examples: examples(exampleOf) },
				'application/xml': {
					schema: { type: 'string' },
					examples: examples((reason) => writeXml('ErrorBlock', exampleOf(reason))),
				},
			},
		};
	}

	#fields(): Answered {
		const content = jsonOrXml({
			schema: FIELD_ERRORS,
			example: { errors: { 'Credentials.ApiKey': ['is required'] } },
			root: 'ValidationErrors',
			items: { errors: 'error' },
			xmlExample: { errors: [{ '@field': 'Credentials.ApiKey', message: 'is required' }] },
		});
		const json = { ...content['text/json'], schema: this.#schemas.refer(FIELD_ERRORS) };
		return {
			description: 'Every invalid field in `errors`, in the format of a successful answer.',
			headers: ALWAYS,
			content: { ...content, 'text/json': json },
		};
	}
}

type Row = readonly [Reason, ErrorRow];

interface Answered {
	readonly description: string;
	readonly headers?: object;
	readonly content?: object;
}

const LIMITED = {
	description: 'Empty. Too many failed logins from this address; a valid credential is never answered so.',
	headers: { ...RETRY_AFTER, ...ALWAYS },
};

/** Adds to the description of a failure that an invalid session token is answered with plain text (spec §5.4.3). */
function withPlainText({ description, content, ...others }: Answered): Answered {
	return {
		...others,
		description: `${description} Plain text for a session token that is not good.`,
		content: { ...content, 'text/plain': { schema: { type: 'string' }, example: 'Session token is invalid' } },
	};
}

function pascal(reason: Reason): string {
	return reason.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());
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
	'origin-not-registered': 'The account has not registered the origin of this page',
	'cvv-retention-not-set-up': 'saveCVV: expected false, since the account keeps no CVV',
	'uri-not-found': 'cardToken: no such token',
};

export function errorTable(): string {
	const rows = Object.entries<ErrorRow>(catalogue).map(
		([reason, { status, code, message }]) =>
			`| \`${reason}\` | ${status} | ${code ?? ''} | ${message ?? 'empty body'} |`,
	);
	return ['| Reason | HTTP | Code | Message |', '|---|---|---|---|', ...rows].join('\n');
}
