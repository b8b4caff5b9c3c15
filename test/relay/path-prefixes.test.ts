import test from 'ava';
import fc from 'fast-check';
import { inAnyNamespace, jsonPathSteps, xpathSteps } from '../../src/work/relay/profiles/path-prefixes.ts';

test('an XPath is cut where its steps end, not inside predicates and strings', (t) => {
	t.deepEqual(xpathSteps("//a/b[c/d='x/]y']/@e"), ['//a', "/b[c/d='x/]y']", '/@e']);
	t.deepEqual(xpathSteps("*[local-name()='A']//B"), ["*[local-name()='A']", '//B']);
	t.deepEqual(xpathSteps('/a//b'), ['/a', '//b']);
	t.deepEqual(xpathSteps('@a'), ['@a']);
	t.is(xpathSteps('a/b | c'), undefined);
});

test('a JSONPath is cut where its segments end', (t) => {
	t.deepEqual(jsonPathSteps("$.a..b[*]['x.y']..[0].c"), ['$', '.a', '..b', '[*]', "['x.y']", '..[0]', '.c']);
	t.deepEqual(jsonPathSteps("$.a[?@.b[0]=='].']"), ['$', '.a', "[?@.b[0]=='].']"]);
});

test('the steps of any expression are that expression', (t) => {
	const piece = fc.constantFrom('$', '.', '..', 'a', '[', ']', '*', "'", '"', '/', '//', '(', ')', '\\', '@', '=');
	fc.assert(
		fc.property(
			fc.array(piece, { maxLength: 20 }).map((all) => all.join('')),
			(expression) => {
				const steps = xpathSteps(expression);
				return (
					jsonPathSteps(expression).join('') === expression && (steps === undefined || steps.join('') === expression)
				);
			},
		),
	);
	t.pass();
});

test('a mere name can be asked for in any namespace', (t) => {
	t.is(inAnyNamespace('//ota:PaymentCard'), "//*[local-name()='PaymentCard']");
	t.is(inAnyNamespace('Card'), "*[local-name()='Card']");
	for (const step of ['@a', 'text()', '*', 'a[1]', '..', "*[local-name()='a']"]) t.is(inAnyNamespace(step), undefined);
});
