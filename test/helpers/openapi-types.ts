// Writes an OpenAPI document as TypeScript, with one type for each operation, which only the compiler reads. The package
// openapi-typescript would do this, but does not work with the compiler of this project.

import {
	type Content,
	type DocumentedResponse,
	type OpenApiDocument,
	type Operation,
	schemaOfOne,
} from './openapi-document.ts';
import { block, type Member, quoted, type Schema, SchemaTypes } from './schema-types.ts';

const HEAD = '// Made of /openapi.json by `npm run generate:client`; a test compares. Not to be edited.\n';

/**
 * Returns the whole file of types.
 * @throws if the document holds anything that JSON Schema 2020-12 does not have
 */
export function typesOf({ components, paths }: OpenApiDocument): string {
	const types = new SchemaTypes();
	const schemas = Object.entries(components.schemas ?? {}).map(
		([name, schema]): Member => ({ name, type: types.write(schema as Schema, 1) }),
	);
	const responses = Object.entries(components.responses ?? {}).map(
		([name, response]): Member => ({ name, type: responseType(response as DocumentedResponse, types, 1) }),
	);
	const operations = Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(
			([method, operation]): Member => ({
				name: `${method.toUpperCase()} ${path}`,
				type: operationType(operation, types),
				comment: operation.summary,
			}),
		),
	);
	const sorted = operations.sort((a, b) => (a.name < b.name ? -1 : 1));
	return [
		HEAD,
		`export type Schemas = ${block(schemas, 0)};\n`,
		`export type Responses = ${block(responses, 0)};\n`,
		`export type Operations = ${block(sorted, 0)};\n`,
		...types.named(),
	].join('\n');
}

function operationType({ parameters = [], requestBody, responses }: Operation, types: SchemaTypes): string {
	const placed = (place: string): Member => {
		const members = parameters
			.filter((parameter) => parameter.in === place)
			.map(({ name, schema, required, description }) => ({
				...{ name, type: types.write(schema ?? true, 3), isOptional: !required, comment: description },
			}));
		return { name: place, type: block(members, 2) };
	};
	const request: Member[] = requestBody
		? [{ name: 'request', type: contentType(requestBody.content, types, 2), isOptional: !requestBody.required }]
		: [];
	const answers = Object.entries(responses).map(
		([status, response]): Member => ({ name: status, type: responseType(response, types, 3) }),
	);
	return block(
		[placed('path'), placed('query'), placed('header'), ...request, { name: 'responses', type: block(answers, 2) }],
		1,
	);
}

function responseType({ $ref, content }: DocumentedResponse, types: SchemaTypes, depth: number): string {
	if ($ref !== undefined) return `Responses[${quoted($ref.slice('#/components/responses/'.length))}]`;
	return content ? contentType(content, types, depth) : 'undefined';
}

/** Writes the types of a body by content type. If a body has a value on each line, its type is that of one of them. */
function contentType(content: Content, types: SchemaTypes, depth: number): string {
	const members = Object.entries(content).map(
		([type, { schema }]): Member => ({
			name: type,
			type: types.write((schemaOfOne(schema) ?? true) as Schema, depth + 1),
		}),
	);
	return block(members, depth);
}
