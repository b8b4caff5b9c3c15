import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type TSchema, Type } from '@sinclair/typebox';
import test from 'ava';
import { makeFolder } from './file-parts.ts';
import { generateTypes, readTypes } from './generate-client.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import { typesOf } from './openapi-types.ts';
import { type Schema, SchemaTypes } from './schema-types.ts';

test('the types of the client are those of the document', async (t) => {
	t.true((await generateTypes(t)) === readTypes(), 'the document has changed: run npm run generate:client');
});

const writes = test.macro((t, schema: TSchema | Schema, expected: string) => {
	t.is(new SchemaTypes().write(JSON.parse(JSON.stringify(schema)), 0).replace(/\s+/g, ' '), expected);
});

const A = Type.Object({ a: Type.Integer() });
const B = Type.Object({ 'b-b': Type.Optional(Type.Boolean()) });
const CASES: Record<string, [TSchema | Schema, string]> = {
	'text, whatever its format': [Type.String({ format: 'uuid', pattern: 'x' }), 'string'],
	'an enum': [Type.String({ enum: ["it's", 'b'] }), "'it\\'s' | 'b'"],
	'a literal': [Type.Literal(4), '4'],
	'a union of literals': [Type.Union([Type.Literal('a'), Type.Literal('b')]), "'a' | 'b'"],
	'a union with null': [Type.Union([Type.Number(), Type.Null()]), 'number | null'],
	'a list of types': [{ type: ['string', 'null'] }, 'string | null'],
	'an object': [Type.Object({ a: Type.Integer(), b: Type.Optional(B) }), "{ a: number; b?: { 'b-b'?: boolean; }; }"],
	'an object without members': [Type.Object({}, { additionalProperties: false }), 'Record<string, never>'],
	'an object of whatever': [{ type: 'object' }, 'Record<string, unknown>'],
	'a record': [Type.Record(Type.String(), Type.Integer()), 'Record<string, number>'],
	'members besides those named': [
		Type.Object({ a: Type.String() }, { additionalProperties: Type.String() }),
		'{ a: string; } & Record<string, string>',
	],
	'a list': [Type.Array(Type.Union([Type.String(), Type.Null()])), '(string | null)[]'],
	'a tuple': [Type.Tuple([Type.String(), Type.Integer()]), '[string, number]'],
	'a tuple of the latest draft': [{ type: 'array', prefixItems: [{ type: 'string' }] }, '[string]'],
	'an empty tuple': [Type.Tuple([]), '[]'],
	'an intersection': [Type.Intersect([A, B]), "{ a: number; } & { 'b-b'?: boolean; }"],
	'an intersection with a union': [
		Type.Intersect([A, Type.Union([Type.String(), Type.Null()])]),
		'{ a: number; } & (string | null)',
	],
	'a choice that adds members': [
		{ type: 'object', properties: { a: true }, required: ['a'], oneOf: [{ type: 'null' }, false] },
		'null & { a: unknown; }',
	],
	anything: [Type.Any(), 'unknown'],
	'anything or text': [Type.Union([Type.Unknown(), Type.String()]), 'unknown'],
	nothing: [Type.Never(), 'never'],
	'a reference': [{ $ref: '#/components/schemas/A' }, "Schemas['A']"],
	'a template': [Type.TemplateLiteral([Type.Literal('a'), Type.Number()]), 'string'],
	'a description that ends comments': [
		Type.Object({ a: Type.String({ description: 'ends\n here */' }) }),
		'{ /** ends here * / */ a: string; }',
	],
};
for (const [title, [schema, expected]] of Object.entries(CASES))
	test(`as TypeScript: ${title}`, writes, schema, expected);

test('a schema that holds itself gets a name', (t) => {
	const types = new SchemaTypes();
	const tree = Type.Recursive((self) => Type.Object({ inner: Type.Array(self) }), { $id: 'tree/node' });
	t.is(types.write(tree, 0), 'NamedTreeNode');
	t.deepEqual(types.named(), ['type NamedTreeNode = {\n\tinner: (NamedTreeNode)[];\n};\n']);
});

test('a type that JSON Schema does not have is refused by its name', (t) => {
	t.throws(() => new SchemaTypes().write(Type.Date(), 0), { message: /"Date"/ });
});

test('what is written compiles, for every kind of schema', async (t) => {
	const schemas = Object.fromEntries(Object.values(CASES).map(([schema], index) => [`S${index}`, schema as object]));
	const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }] as const;
	const operation = { operationId: 'x', parameters, responses: { default: { description: 'x' } } };
	const document = {
		openapi: '3.1.0',
		info: { title: '', version: '', description: '' },
		paths: { '/a/{id}': { get: operation } },
		components: { schemas: { ...schemas, A: {} }, responses: {} },
	} satisfies OpenApiDocument;
	const file = join(makeFolder(t), 'api.ts');
	writeFileSync(file, typesOf(document));
	const compiler = new URL('../../node_modules/.bin/tsc', import.meta.url).pathname;
	await t.notThrowsAsync(
		promisify(execFile)(compiler, ['--noEmit', '--strict', '--types', '', '--ignoreConfig', file]),
	);
});
