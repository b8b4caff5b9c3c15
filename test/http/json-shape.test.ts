import test from 'ava';
import fc from 'fast-check';
import { ServiceError } from '../../src/base/errors.ts';
import { shapeOf } from '../../src/doors/http/input/json-shape.ts';
import { parseJsonBody } from '../../src/doors/http/input/request-body.ts';
import { json } from '../helpers/card-calls.ts';
import { openHttpApp } from '../helpers/http-app.ts';

const finds = test.macro({
	exec(t, text: string, name: string | undefined) {
		JSON.parse(text);
		t.is(shapeOf(text).repeated, name);
	},
	title: (_, text, name) => `in ${text} ${name === undefined ? 'no name' : `the name ${name}`} stands twice`,
});
test(finds, '{"a":1,"a":1}', 'a');
test(finds, '{"a":{"b":"a"},"c":[{"b":1},{"b":1}]}', undefined);
test(finds, '[{"x":[1,"x",{"y":"y"}],"z":"}{", "x" : null}]', 'x');
test(finds, '{"a":["b","b"],"b":{},"c":[],"d":"a"}', undefined);
test(finds, String.raw`{"a":1,"\u0061":2}`, 'a');
test(finds, String.raw`{"\"":1,"\\":2,"":3}`, undefined);
test(finds, '{"":1,"":2}', '');
test(finds, '{"a":1,"A":2}', undefined);
test(finds, '{"a":{"a":{"a":1}}}', undefined);
test(finds, '["a","a"]', undefined);

test('no value that was written by a machine has a name twice, and any name said again is found', (t) => {
	const value = fc.jsonValue({ maxDepth: 4 });
	const written = fc.property(value, (each) => shapeOf(JSON.stringify(each)).repeated === undefined);
	t.notThrows(() => fc.assert(written, { numRuns: 300 }));
	const again = fc.property(fc.string(), value, value, (name, first, second) => {
		const quoted = JSON.stringify(name);
		const text = `[{${quoted}:${JSON.stringify(first)},${quoted}:${JSON.stringify(second)}}]`;
		return shapeOf(text).repeated === name;
	});
	t.notThrows(() => fc.assert(again, { numRuns: 300 }));
});

test('a body with a name twice is refused, and a name that holds a number is not repeated', (t) => {
	for (const [text, moreInfo] of [
		['{"Number":"1","Number":"2"}', 'body: Number expected only once in an object'],
		['{"4111111111111111":1,"4111111111111111":2}', 'body: 411111******1111 expected only once in an object'],
	]) {
		const error = t.throws(() => parseJsonBody(text), { instanceOf: ServiceError }) as ServiceError;
		t.is(error.reason, 'bad-input-data');
		t.is(error.moreInfo, moreInfo);
	}
});

test('shapes §1.23: a body with too many members is refused before it is read', (t) => {
	const bodyOf = (count: number) =>
		JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, n) => [`a:${n}`, 1])));
	t.notThrows(() => parseJsonBody(bodyOf(10_000)));
	t.throws(() => parseJsonBody(bodyOf(10_001)), { message: /has more than 10000 members/ });
});

test('shapes §3: in a batch it is the fault of one card', async (t) => {
	const demo = await (await openHttpApp(t)).createCaller('demo');
	const card = '{"BankCard":{"Number":"4111111111111111","ExpirationDate":{"Month":"04","Year":"2030"}}}';
	const twice = card.replace('"Number"', '"Number":"5555555555554444","Number"');
	for (const body of [`[${card},${twice},${card}]`, `${card}\n${twice}\n${card}`]) {
		const response = await demo.inject('POST', '/api/payments/paycard/batch', { ...json({}), payload: body });
		const lines = response.body
			.trim()
			.split('\n')
			.map((line) => JSON.parse(line));
		t.deepEqual(
			lines.map(({ error }) => error),
			[null, 'body: Number expected only once in an object', null],
		);
	}
});
