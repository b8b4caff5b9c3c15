// Tests that the OpenAPI document and the check of a call agree about what a member may be, because both use one schema.

import { Ajv2020 } from 'ajv/dist/2020.js';
import test from 'ava';
import fc from 'fast-check';
import { holdsCardNumber } from '../../src/base/card/spelling/spelled-number.ts';
import { type MemberSchema, textProblem } from '../../src/doors/http/input/member-rules.ts';
import { openHttpApp } from '../helpers/http-app.ts';

interface Named {
	readonly name: string;
	readonly schema: MemberSchema;
}

/** Yields every member below an object whose schema has a rule for its text. */
function* textMembers(schema: MemberSchema, path: string): Generator<Named> {
	for (const [name, member] of Object.entries(schema.properties ?? {})) {
		const below = `${path}.${name}`;
		if (member.enum || member.pattern || member.maxLength) yield { name: below, schema: member };
		for (const inner of [member, member.items ?? {}, ...(member.anyOf ?? [])]) yield* textMembers(inner, below);
	}
}

function textsFor({ pattern, enum: names }: MemberSchema): fc.Arbitrary<string> {
	return fc.oneof(
		fc.string({ unit: 'binary-ascii', minLength: 1, maxLength: 300 }),
		...(names ? [fc.constantFrom(...names)] : []),
		...(pattern && !pattern.includes('(?') ? [fc.stringMatching(new RegExp(pattern)).filter(Boolean)] : []),
	);
}

test('a text is taken where the schema in the document takes it, but for card numbers in clear and the case of names', async (t) => {
	const { app } = await openHttpApp(t);
	const members = app.calls.flatMap(({ name, body }) =>
		body && 'schema' in body ? [...textMembers(body.schema as MemberSchema, name)] : [],
	);
	t.true(members.length >= 30);
	for (const { name, schema } of members) {
		const check = new Ajv2020({ strict: false }).compile(JSON.parse(JSON.stringify(schema)) as object);
		const asNamed = (text: string) => schema.enum?.find((each) => each.toLowerCase() === text.toLowerCase()) ?? text;
		fc.assert(
			fc.property(textsFor(schema), (text) => {
				fc.pre(!holdsCardNumber(text));
				return check(asNamed(text)) === (textProblem(schema, text) === undefined);
			}),
			{ examples: [[name]] },
		);
	}
});

test('every rule that can be broken says what was expected', async (t) => {
	const { app } = await openHttpApp(t);
	for (const { name: call, body } of app.calls) {
		if (!body || !('schema' in body)) continue;
		for (const { name, schema } of textMembers(body.schema as MemberSchema, call)) {
			if (!schema.pattern || name.endsWith('.CVV')) continue;
			t.notRegex(textProblem(schema, '\u0001') ?? '', /text like/, name);
		}
	}
});
