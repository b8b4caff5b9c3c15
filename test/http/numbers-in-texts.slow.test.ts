// Writes a card number into every text that a call takes, one after the other, wherever the document of the API lets a text stand.
// Whether the call is refused or carried out, no table and no line of the log has the number in clear.

import test from 'ava';
import { callShown, openShown } from '../helpers/openapi-calls.ts';
import { type OpenApiDocument, schemaOfOne } from '../helpers/openapi-document.ts';
import { findLeaks, sweepTables } from '../helpers/secrecy.ts';

const NUMBER = '6011000990139424';
const SECRETS = { numbers: [NUMBER], passages: [] };
/** A text that is only the number, the number behind a text that is taken, and the number as people group it. */
const TEXTS: readonly ((shown: unknown) => string)[] = [
	() => NUMBER,
	(shown) => `${typeof shown === 'string' ? shown : 'x'}-${NUMBER}`,
	() => 'c 6011-0009-9013-9424',
];

type Path = readonly string[];
interface Schema {
	readonly $ref?: string;
	readonly type?: string | readonly string[];
	readonly properties?: Readonly<Record<string, Schema>>;
	readonly additionalProperties?: Schema | boolean;
	readonly items?: Schema;
	readonly allOf?: readonly Schema[];
	readonly anyOf?: readonly Schema[];
	readonly oneOf?: readonly Schema[];
	readonly enum?: readonly unknown[];
	readonly const?: unknown;
}

/** Returns the paths of all texts of a schema. A member of any name is called `x`, and an element of a list is its first. */
function textPaths(document: OpenApiDocument, schema: Schema, seen: readonly Schema[] = []): Path[] {
	if (seen.includes(schema)) return [];
	const within = (next: Schema, ...path: string[]) =>
		textPaths(document, next, [...seen, schema]).map((rest) => [...path, ...rest]);
	const { $ref, type, properties = {}, additionalProperties, items, allOf = [], anyOf = [], oneOf = [] } = schema;
	if ($ref !== undefined) return within(document.components.schemas[$ref.split('/').at(-1)!] as Schema);
	if ('enum' in schema || 'const' in schema) return [[]];
	return [
		...([type].flat().includes('string') || Object.keys(schema).length === 0 ? [[]] : []),
		...Object.entries(properties).flatMap(([name, each]) => within(each, name)),
		...(typeof additionalProperties === 'object' ? within(additionalProperties, 'x') : []),
		...(additionalProperties === true ? [['x']] : []),
		...(items ? within(items, '0') : []),
		...[...allOf, ...anyOf, ...oneOf].flatMap((each) => within(each)),
	];
}

/** Returns a copy of a body with another value at a path; members on the way are made if necessary. */
function withText(body: unknown, [first, ...rest]: Path, text: (shown: unknown) => string): unknown {
	if (first === undefined) return text(body);
	const copy: Record<string, unknown> = Array.isArray(body)
		? ([...body] as never)
		: first === '0'
			? ([] as never)
			: { ...(typeof body === 'object' ? body : {}) };
	copy[first] = withText(copy[first], rest, text);
	return copy;
}

test('a card number in any text of a call is in no table, no line of the log and no text of an error', async (t) => {
	const opened = await openShown(t);
	const { database } = opened.parts;
	const leaks: string[] = [];
	let calls = 0;
	let logged = 0;
	for (const listed of opened.operations) {
		const { name: call, operation } = listed;
		const send = async (part: string, how: Parameters<typeof callShown>[2]) => {
			const response = await callShown(opened, listed, how);
			calls += 1;
			if (response.statusCode < 400) return;
			for (const { where } of findLeaks('its error', Buffer.from(response.body), SECRETS))
				leaks.push(`${call} ${part}: ${where}`);
		};
		for (const text of TEXTS) {
			for (const { name, in: place, example } of operation.parameters ?? []) {
				if (place !== 'header') await send(name, { given: { [name]: text(example) } });
			}
			for (const [type, { schema, example }] of Object.entries(operation.requestBody?.content ?? {})) {
				if (!type.endsWith('json') || typeof example === 'string') continue;
				for (const path of textPaths(opened.document, schemaOfOne(schema) as Schema)) {
					await send(path.join('.'), { type, alter: (body) => withText(body, path, text) });
				}
			}
		}
		const log = opened.parts.logText();
		const rows = await sweepTables(database, SECRETS);
		for (const { where } of [...rows.leaks, ...findLeaks('the log', Buffer.from(log.slice(logged)), SECRETS)]) {
			leaks.push(`${call}: ${where}`);
			// What is found is not found again behind the next call.
			const [table, column] = where.split('.');
			if (column !== undefined) await database.knex(table).delete();
		}
		logged = log.length;
	}
	t.true(calls > 400, `${calls} calls`);
	t.deepEqual([...new Set(leaks)], []);
});
