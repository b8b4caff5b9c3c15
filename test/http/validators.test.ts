// Schemas of parameters are compiled for the first request that needs them.

import test from 'ava';
import { buildValidator } from '../../src/doors/http/server/validators.ts';
import { openHttpApp } from '../helpers/http-app.ts';

const OPTIONS = { customOptions: { removeAdditional: false, coerceTypes: true, allErrors: false } };

/** Returns the validator that Fastify makes of a schema. */
// biome-ignore lint/suspicious/noExplicitAny: the types of the compiler say less than what it gives
const validatorOf = (schema: object) => (buildValidator as any)({}, OPTIONS)({ schema, method: 'GET', url: '/' });

test('a schema is compiled by its first use and not before, and one that is none fails there', (t) => {
	let reads = 0;
	const schema = {
		get type() {
			reads++;
			return 'object';
		},
		properties: { num: { type: 'integer' } },
	};
	const validate = validatorOf(schema);
	t.is(reads, 0);
	const given = { num: '7' };
	t.true(validate(given));
	t.deepEqual(given, { num: 7 } as object);
	const compiled = reads;
	t.true(compiled > 0);
	t.false(validate({ num: 'x' }));
	t.like(validate.errors, { 0: { instancePath: '/num', keyword: 'type' } });
	t.true(validate({ num: 1 }));
	t.falsy(validate.errors);
	t.is(reads, compiled);
	const broken = validatorOf({ type: 'nothing' });
	t.throws(() => broken({}), { message: /schema is invalid/ });
});

test('the schemas of all calls can be compiled', async (t) => {
	const { app } = await openHttpApp(t);
	const schemas = app.calls.flatMap(({ params, query }) => [params, query]).filter((schema) => schema !== undefined);
	t.true(schemas.length > 20);
	for (const schema of schemas) t.notThrows(() => validatorOf(schema)({}));
});
