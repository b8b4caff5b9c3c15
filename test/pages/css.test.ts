import test from 'ava';
import fc from 'fast-check';
import { CSS_LIMITS, safeSheet } from '../../src/base/pages/css.ts';

const sanitiseCss = (css: string) => safeSheet(css).css;

const becomes = test.macro((t, css: string, kept: string) => t.is(sanitiseCss(css), kept));
const cases: readonly (readonly [title: string, css: string, kept: string])[] = [
	['colours stay, within the form', 'input, .a > b { color: red }', '.tokendrop input,.tokendrop .a>b{color:red}'],
	['the whole page is the form', 'html > p, body, :root { --a: 1 }', '.tokendrop>p,.tokendrop,.tokendrop{--a:1}'],
	['groups stay', '@media (max-width: 9em) { p { top: 0 } }', '@media (max-width:9em){.tokendrop p{top:0}}'],
	['movements stay', '@keyframes a { from { top: 0 } }', '@keyframes a{from{top:0}}'],
	['an address is dropped', 'p { color: red; background: url(https://a.example) }', '.tokendrop p{color:red}'],
	['an escaped address is dropped', 'p { background: u\\72l(x) } q { background: \\75 rl("x") }', ''],
	['an address in a variable is dropped', 'p { --x: url(a); --y: image-set("x" 1x) }', ''],
	['a function that may load is dropped', 'p { background: image-set("x" 1x); content: attr(value) }', ''],
	['an expression is dropped', 'p { width: expression(alert(1)); behavior: url(x); -moz-binding: url(x) }', ''],
	[
		'imports and fonts are dropped',
		'@import "a"; @font-face { src: url(x) } @namespace a "b"; @layer x { p { top: 0 } }',
		'',
	],
	['what reads a value is dropped', 'input[value^="4"], :not([va\\6cue="4"]), q { top: 0 }', '.tokendrop q{top:0}'],
	['what is beside the form is dropped', '.tokendrop ~ p, html + p, .tokendrop.x + p { top: 0 }', ''],
	['rules within rules are dropped', '.a { top: 0; & ~ c { top: 1px } html & { top: 2px } }', '.tokendrop .a{top:0}'],
	['a condition that loads is dropped', '@supports (background: url(x)) { p { top: 0 } }', ''],
	['what cannot be read is dropped', '.a{}}b{top:0', ''],
];
for (const [title, css, kept] of cases) test(title, becomes, css, kept);

const refuses = test.macro((t, css: string, problem: string | undefined) => t.is(safeSheet(css).problem, problem));
test(
	'a style sheet that is too long is not read',
	refuses,
	' '.repeat(CSS_LIMITS.characters + 1),
	'longer than 65536 characters',
);
test('one of the greatest length is', refuses, 'p{top:0}'.padEnd(CSS_LIMITS.characters), undefined);
test(
	'selectors a thousand times within each other are not read',
	refuses,
	`p${':not('.repeat(1000)}`,
	'nested deeper than 16',
);
test('nor are blocks', refuses, '@media a{'.repeat(17), 'nested deeper than 16');
test('as many as people write are', refuses, `${'@media a{'.repeat(16)}${'}'.repeat(16)}`, undefined);
const TOO_MANY = 'more than 8192 rules, declarations and members of lists';
test('too many declarations are not read', refuses, `p{${'a;'.repeat(8_192)}}`, TOO_MANY);
test('nor are too many selectors', refuses, 'p,'.repeat(8_193), TOO_MANY);

const PIECES = [
	'p',
	'[value',
	'=4]',
	'{',
	'}',
	'a:b',
	';',
	'url(x)',
	'@import',
	'@media',
	' ',
	'"',
	"'",
	'\\',
	'/*',
	'*/',
	'&',
	':is(',
	')',
	',',
	'+',
	'~',
	'html',
	'.tokendrop',
	'--x:',
	'u\\72l(',
];

test('whatever is given, nothing loads, nothing reads a value, and every selector is within the form', (t) => {
	fc.assert(
		fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 30 }), (pieces) => {
			const kept = sanitiseCss(pieces.join(''));
			t.notRegex(kept, /url\(|@import|\[value|u\\72l\(/);
			t.is(sanitiseCss(kept), kept, pieces.join(''));
			const rules = kept
				.replace(/@media[^{]*\{/g, '')
				.split('}')
				.filter((rule) => rule.includes('{'));
			t.true(
				rules.every((rule) => rule.startsWith('.tokendrop')),
				kept,
			);
		}),
	);
});
