// A JSON Schema of OpenAPI 3.1, as far as the document of the service uses it. It asks for what the standard requires, and
// refuses members that the standard does not have. It is written after https://spec.openapis.org/oas/v3.1.0; what the
// document does not use (links, callbacks) is missing, and so would be refused.

const text = { type: 'string' };
const flag = { type: 'boolean' };
const mapOf = (values: object | true) => ({ type: 'object', additionalProperties: values });
const listOf = (items: object) => ({ type: 'array', items });
const ref = (name: string) => ({ $ref: `#/$defs/${name}` });

/** Returns the schema of an object that has no members but these and extensions. */
function only(properties: Record<string, object | true>, required: readonly string[] = []): object {
	return { type: 'object', properties, required, patternProperties: { '^x-': true }, additionalProperties: false };
}

const orReference = (name: string) => ({
	if: { type: 'object', required: ['$ref'] },
	// biome-ignore lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema
	then: only({ $ref: { type: 'string', format: 'uri-reference' }, summary: text, description: text }, ['$ref']),
	else: ref(name),
});

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

export const OPENAPI_SCHEMA = {
	$schema: 'https://json-schema.org/draft/2020-12/schema',
	...only(
		{
			openapi: { type: 'string', pattern: '^3\\.1\\.\\d+$' },
			info: only({ title: text, summary: text, description: text, version: text }, ['title', 'version']),
			servers: listOf(only({ url: text, description: text }, ['url'])),
			tags: listOf(only({ name: text, description: text }, ['name'])),
			paths: { type: 'object', patternProperties: { '^/': ref('pathItem') }, additionalProperties: false },
			webhooks: mapOf(ref('pathItem')),
			components: ref('components'),
		},
		['openapi', 'info', 'paths'],
	),
	$defs: {
		pathItem: only(Object.fromEntries(METHODS.map((method) => [method, ref('operation')]))),
		components: only({
			schemas: mapOf(ref('schema')),
			responses: mapOf(orReference('response')),
			securitySchemes: mapOf(ref('securityScheme')),
		}),
		operation: only({
			...{ operationId: text, summary: text, description: text, deprecated: flag },
			tags: { ...listOf(text), uniqueItems: true },
			parameters: { ...listOf(ref('parameter')), uniqueItems: true },
			requestBody: only({ description: text, required: flag, content: ref('content') }, ['content']),
			responses: {
				type: 'object',
				minProperties: 1,
				patternProperties: { '^([1-5](\\d\\d|XX)|default)$': orReference('response') },
				additionalProperties: false,
			},
			security: listOf(mapOf(listOf(text))),
		}),
		parameter: {
			...only(
				{
					name: text,
					in: { enum: ['query', 'header', 'path', 'cookie'] },
					...{ description: text, required: flag, deprecated: flag, style: text, explode: flag },
					...{ schema: ref('schema'), example: true as const, examples: mapOf(ref('example')) },
				},
				['name', 'in', 'schema'],
			),
			...{ not: { required: ['example', 'examples'] } },
			if: { properties: { in: { const: 'path' } } },
			// biome-ignore lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema
			then: { properties: { required: { const: true } }, required: ['required'] },
		},
		response: only({ description: text, headers: mapOf(ref('header')), content: ref('content') }, ['description']),
		header: only({ description: text, required: flag, schema: ref('schema') }, ['schema']),
		content: {
			type: 'object',
			propertyNames: { pattern: '^([a-z]+/[a-z0-9.+-]+|\\*/\\*)$' },
			additionalProperties: {
				...only({ schema: ref('schema'), example: true as const, examples: mapOf(ref('example')) }),
				not: { required: ['example', 'examples'] },
			},
		},
		example: only({ summary: text, description: text, value: true as const }),
		securityScheme: {
			oneOf: [
				only({ type: { const: 'apiKey' }, in: { enum: ['header', 'query'] }, name: text, description: text }, [
					...['type', 'in', 'name'],
				]),
				only({ type: { const: 'http' }, scheme: { const: 'bearer' }, description: text }, ['type', 'scheme']),
			],
		},
		// A schema in OpenAPI 3.1 is a JSON Schema 2020-12 without changes.
		schema: { $ref: 'https://json-schema.org/draft/2020-12/schema' },
	},
};
