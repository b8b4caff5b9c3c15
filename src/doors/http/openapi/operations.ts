// Turns the definition of a call into an operation of the OpenAPI document.

import type { TSchema } from '@sinclair/typebox';
import { type Answer, type Call, documentPath, type Method, methodsOf, takesKey } from '../calls/call.ts';
import { type Content, contentOf } from '../calls/content.ts';
import { notesOf } from '../input/schema-notes.ts';
import type { ErrorAnswers } from './errors.ts';
import { ALWAYS, type NamedSchemas } from './schemas.ts';
import { SECURITY } from './security.ts';

export interface Components {
	readonly schemas: NamedSchemas;
	readonly errors: ErrorAnswers;
}

export function operationsOf(call: Call, components: Components): Record<string, object> {
	const methods = methodsOf(call);
	return Object.fromEntries(
		methods.map((method) => [
			method.toLowerCase(),
			{
				...operationOf(call, method, components),
				operationId: methods.length > 1 ? `${call.name}${capital(method)}` : call.name,
			},
		]),
	);
}

function operationOf(call: Call, method: Method, { schemas, errors }: Components): object {
	const { summary, tag, needs, body, answers } = call;
	const { credential = 'any', permission, isBillable } = needs;
	const shown = body !== undefined && TAKES_BODY.has(method) ? body : undefined;
	const answered = Object.entries<Answer>(answers).map(([status, answer]) => [
		status,
		answerOf(status, answer, schemas),
	]);
	return {
		summary,
		tags: [tag],
		description: descriptionOf(call),
		parameters: parametersOf(call),
		...(shown && {
			requestBody: {
				required: 'isRequired' in shown ? shown.isRequired : true,
				content: referred(contentOf(shown), schemas),
			},
		}),
		security: SECURITY[credential],
		...(permission && { 'x-permission': permission }),
		...(isBillable && { 'x-billable': true }),
		...(credential === 'none' && { 'x-public': true }),
		...(credential === 'wallet-session' && { 'x-bearer': true }),
		'x-idempotent': takesKey(call),
		responses: { ...errors.of(call), ...Object.fromEntries(answered) },
	};
}

const TAKES_BODY: ReadonlySet<Method> = new Set(['POST', 'PUT', 'PATCH']);

function descriptionOf({ description, needs: { credential, permission, anyPermission, isBillable } }: Call): string {
	return [
		description,
		permission && `Needs the permission \`${permission}\`.`,
		anyPermission && `Needs the permission ${anyPermission.map((name) => `\`${name}\``).join(' or ')}.`,
		credential === 'api-key' && 'Takes an API key only.',
		isBillable && 'Costs one unit of the allowance.',
	]
		.filter(Boolean)
		.join('\n\n');
}

const LOCATION = { Location: { schema: { type: 'string' }, description: 'The URI of what was made.' } };

function answerOf(status: string, { description, headers: own, content }: Answer, schemas: NamedSchemas): object {
	const headers = { ...(status === '201' && LOCATION), ...own, ...ALWAYS };
	const said = Object.values(content ?? {})
		.map(({ schema }) => (schema as { readonly description?: string }).description)
		.find(Boolean);
	return {
		description: description ?? said ?? (content ? 'What was asked for.' : 'Done; the body is empty.'),
		headers,
		...(content && { content: referred(content, schemas) }),
	};
}

function referred(content: Content, schemas: NamedSchemas): object {
	return Object.fromEntries(
		Object.entries(content).map(([type, { schema, ...rest }]) => [type, { ...rest, schema: schemas.refer(schema) }]),
	);
}

function capital(word: string): string {
	return `${word.slice(0, 1)}${word.slice(1).toLowerCase()}`;
}

interface Parameter {
	readonly in: 'path' | 'query' | 'header';
	readonly name: string;
	readonly required: boolean;
	readonly description?: string;
	readonly schema: unknown;
	readonly example?: unknown;
}

const IDEMPOTENCY_KEY: Parameter = {
	in: 'header',
	name: 'Idempotency-Key',
	required: false,
	description: 'The same key with the same request brings the first answer again, for 24 hours.',
	schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
};

const STRICT: Parameter = {
	in: 'header',
	name: 'X-service-Strict',
	required: false,
	description: 'With `true` a query parameter that the call does not know is a 400.',
	schema: { type: 'boolean' },
};

/** Their schemas say what callers should send; a call may accept more, for example the same word in upper case. */
function parametersOf(call: Call): Parameter[] {
	const names = new Set([...documentPath(call).matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
	return [
		...listed('query', call.query),
		// Several calls may share one schema of path parameters, so only the parameters that occur in this path are listed.
		...listed('path', call.params).filter(({ name }) => names.has(name)),
		...listed('header', call.headers),
		...(takesKey(call) ? [IDEMPOTENCY_KEY] : []),
		...(call.takesAnyQuery ? [] : [STRICT]),
	];
}

function listed(place: Parameter['in'], schema: TSchema | undefined): Parameter[] {
	const { properties = {}, required = [] } = (schema ?? {}) as {
		readonly properties?: Readonly<Record<string, TSchema>>;
		readonly required?: readonly string[];
	};
	return Object.entries(properties).map(([name, property]) => {
		const { description, ...checked } = property;
		const { shownAs = checked, isRequired, example } = notesOf(property);
		return {
			in: place,
			name: name === '*' ? 'rest' : name,
			required: place === 'path' || required.includes(name) || isRequired === true,
			...(description !== undefined && { description }),
			schema: shownAs,
			...(example !== undefined && { example }),
		};
	});
}
