// Compares the quick way of selecting with the library, for generated bodies and selectors: both select the same.

import test from 'ava';
import fc from 'fast-check';
import parseJsonPath from 'jsonpath-rfc9535/parser';
import { UTF_8 } from '../../../src/work/relay/selectors/charset.ts';
import * as jsonLibrary from '../../../src/work/relay/selectors/json/jsonpath-library.ts';
import { findJsonPlace } from '../../../src/work/relay/selectors/json/place.ts';
import { JsonScan } from '../../../src/work/relay/selectors/json/scan.ts';
import { findJsonSteps, followJsonSteps } from '../../../src/work/relay/selectors/json/steps.ts';
import { KnownNames } from '../../../src/work/relay/selectors/known-names.ts';
import { followXmlSteps } from '../../../src/work/relay/selectors/xml/follow.ts';
import { NamespaceScope } from '../../../src/work/relay/selectors/xml/namespaces.ts';
import { findXmlPlace } from '../../../src/work/relay/selectors/xml/place.ts';
import { XmlScan } from '../../../src/work/relay/selectors/xml/scan.ts';
import { XmlTape } from '../../../src/work/relay/selectors/xml/tape.ts';
import { parseXPath, prefixResolver } from '../../../src/work/relay/selectors/xml/xpath-ast.ts';
import * as xpathLibrary from '../../../src/work/relay/selectors/xml/xpath-library.ts';
import { XmlStepCompiler } from '../../../src/work/relay/selectors/xml/xpath-steps.ts';
import { runs } from '../../helpers/runs.ts';

const namespaces = { p: 'urn:p', q: 'urn:q' };

const blank = fc.constantFrom('', '', ' ', '\n\t');
const text = fc.constantFrom('', ' ', 'x', ' 41 ', '&amp;', '<![CDATA[y]]>', '<!-- c -->', '<?i n?>', '\r\n', 'é');
const attribute = fc.tuple(fc.constantFrom('a', 'b', 'p:a', 'r:a'), fc.constantFrom('"1"', "'&#65;'", '""'));

const { element } = fc.letrec<{ element: string }>((tie) => ({
	element: fc
		.record({
			name: fc.constantFrom('a', 'b', 'p:a', 'q:b', 'r:a'),
			binds: fc.constantFrom('', '', ' xmlns="urn:p"', ' xmlns=""', ' xmlns:p="urn:q"', ' xmlns:r="urn:p"'),
			attributes: fc.uniqueArray(attribute, { maxLength: 3, selector: ([name]) => name.replace('r:', 'p:') }),
			space: blank,
			content: fc.array(fc.oneof({ depthSize: 'small', maxDepth: 5 }, text, tie('element')), { maxLength: 4 }),
		})
		.map(({ name, binds, attributes, space, content }) => {
			const start = `${name}${binds}${attributes.map(([key, value]) => ` ${key}=${value}`).join('')}${space}`;
			return content.length === 0 ? `<${start}/>` : `<${start}>${content.join('')}</${name}>`;
		}),
}));
const xmlBody = element.map((inner) => `<o xmlns:p="urn:p" xmlns:q="urn:q" xmlns:r="urn:q">${inner}</o>`);

const nameTest = fc.constantFrom('a', 'b', 'p:a', 'q:b', '*', '*:a', 'p:*', "*[local-name()='b']");
const bothNames = fc.constantFrom(
	...["*[local-name(.)='a' and namespace-uri()='urn:p']", 'Q{urn:q}b', "*['a'=local-name()]"],
);
const middle = fc.oneof(nameTest, bothNames, fc.constantFrom('*', '*', '.', '..'));
const last = fc.oneof(nameTest, fc.constantFrom('@a', '@p:a', '@*', '@*:a', 'text()', '.'));
const xpath = fc
	.tuple(
		fc.constantFrom('', '', '/', '//', './/', './'),
		fc.array(fc.tuple(middle, fc.constantFrom('/', '/', '//')), { maxLength: 3 }),
		last,
	)
	.map(([start, steps, end]) => `${start}${steps.map(([step, slash]) => step + slash).join('')}${end}`);

test('simple XPath selects what the library selects', (t) => {
	let compared = 0;
	fc.assert(
		fc.property(
			xmlBody,
			fc.oneof(xpath, { arbitrary: fc.constantFrom('/', '//*', '//p:*'), weight: 3 }),
			xpath,
			(body, container, path) => {
				const [names, scope, resolve] = [new KnownNames(), new NamespaceScope(), prefixResolver(namespaces)];
				const compiler = new XmlStepCompiler(names, scope, resolve);
				const expressions = [container, path];
				const steps = expressions.map((expression) => compiler.find(parseXPath(expression)));
				const [outer, inner] = steps;
				if (outer === undefined || inner === undefined) return;
				const bytes = Buffer.from(body);
				const placesOf = (
					tape: XmlTape,
					find: (index: number, context: number) => readonly number[],
				): (readonly [number, string] | undefined)[] =>
					find(0, 0).flatMap((context) =>
						find(1, context).flatMap((node) => {
							const place = findXmlPlace(tape, node);
							return place === undefined ? [] : [[place.start, place.read()] as const];
						}),
					);
				let tape = new XmlScan(new XmlTape(), names, scope, true).scan(bytes, undefined);
				const library = expressions.map((expression) => xpathLibrary.libraryQuery(expression, resolve));
				const expected = placesOf(tape, (index, context) => library[index](tape, context));
				const quick = (index: number, context: number) => followXmlSteps(tape, index === 0 ? outer : inner, context);
				t.deepEqual(placesOf(tape, quick), expected, `${container} | ${path} | ${body}`);
				tape = new XmlScan(new XmlTape(), names, scope, false).scan(bytes, undefined);
				t.deepEqual(placesOf(tape, quick), expected, `${container} | ${path} | ${body}, without blanks`);
				if (expected.length > 0) compared++;
			},
		),
		{ numRuns: runs(1500) },
	);
	t.true(compared > runs(50), `${compared}`);
});

const member = fc.constantFrom('a', 'b', 'c d', '__proto__', "it's");
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
	value: fc.oneof(
		{ depthSize: 'small', maxDepth: 5 },
		fc.constantFrom(1, -0.5e3, 'x', 'A "\\ \u0001é', '', null, true),
		fc.array(tie('value'), { maxLength: 4 }),
		fc.uniqueArray(fc.tuple(member, tie('value')), { maxLength: 4, selector: ([name]) => name }).map((members) => {
			const object = Object.create(null);
			for (const [name, inner] of members) object[name] = inner;
			return object;
		}),
	),
}));
const jsonBody = fc
	.tuple(value, fc.constantFrom(undefined, 1, '\t'))
	.map(([inner, indent]) => JSON.stringify({ o: inner }, null, indent));
const jsonStep = fc.constantFrom(
	'.a',
	'.b',
	"['c d']",
	'["it\'s"]',
	"['__proto__']",
	'.*',
	'[*]',
	'[0]',
	'[2]',
	'..a',
	'..*',
	'..[0]',
	'.o',
);
const jsonPath = fc.array(jsonStep, { maxLength: 4 }).map((steps) => `$${steps.join('')}`);

test('simple JSONPath selects what the library selects', (t) => {
	let compared = 0;
	fc.assert(
		fc.property(jsonBody, jsonPath, jsonPath, (body, container, path) => {
			const names = new KnownNames();
			const expressions = [container, path];
			const steps = expressions.map((expression) => findJsonSteps(parseJsonPath(expression), names)!);
			const tape = new JsonScan(names).scan(Buffer.from(body), UTF_8);
			const library = expressions.map((expression) => jsonLibrary.libraryQuery(expression));
			const placesOf = (find: (index: number, context: number) => readonly number[]) =>
				find(0, 0).flatMap((context) =>
					find(1, context).map((node) => [node, findJsonPlace(tape, node)?.start, findJsonPlace(tape, node)?.read()]),
				);
			const expected = placesOf((index, context) => library[index](tape, context));
			const found = placesOf((index, context) => followJsonSteps(tape, steps[index], context));
			t.deepEqual(found, expected, `${container} | ${path} | ${body}`);
			if (expected.length > 0) compared++;
		}),
		{ numRuns: runs(6000) },
	);
	t.true(compared > runs(50));
});
