import test from 'ava';
import fc from 'fast-check';
import { why } from '../../src/base/failures.ts';
import { MAX_PROFILE_BYTES, readProfileText } from '../../src/work/relay/profiles/profile-text.ts';
import { anyCharacter } from '../helpers/any-character.ts';
import { runs } from '../helpers/runs.ts';

const problemsOf = (text: string) =>
	readProfileText(text).problems.map(({ line, column, pointer, rule }) => `${line}:${column} ${pointer} ${rule}`);

test('scalars stay the text that was written, in YAML and in JSON', (t) => {
	const yaml = readProfileText('a: 001\nb: no\nc: 1e3\nd: "null"\ne: null\nf: ~\ng:\nh: [1, null]\n').value;
	t.deepEqual(
		{ ...(yaml as object) },
		{ a: '001', b: 'no', c: '1e3', d: 'null', e: undefined, f: undefined, g: undefined, h: ['1', undefined] },
	);
	const json = readProfileText('{"a":\t1.50,\n\t"b": true, "c": "x\\u0041"}').value;
	t.deepEqual({ ...(json as object) }, { a: '1.50', b: 'true', c: 'xA' });
	t.is(readProfileText('').value, undefined);
	t.is(readProfileText('# nothing\n').value, undefined);
});

const refused = test.macro({
	exec(t, text: string, ...problems: string[]) {
		t.deepEqual(problemsOf(text), problems);
	},
	title: (name = '') => `${name} in a profile is refused with its place`,
});

test(
	'an alias',
	refused,
	'a: &x 1\nb: *x\n',
	...['1:7 /a', '2:4 /b'].map((at, i) => `${at} expected no ${i ? 'alias' : 'anchor'}: YAML aliases are not taken`),
);
test('a tag', refused, 'a: !!js/function x\n', '1:18 /a expected no tag: YAML tags are not taken');
test('a tag on a list', refused, 'a: !!set [x]\n', '1:10 /a expected no tag: YAML tags are not taken');
test('a second document', refused, 'a: 1\n---\nb: 2\n', '2:1  expected one document');
test(
	'a key that stands twice',
	refused,
	'a: 1\nb:\n  c: 1\n  c: 2\n',
	'4:3 /b/c expected once: the key stands here twice',
);
test('a key that is no name', refused, '? [x]\n: y\n', '1:3  expected a plain name for a key');
test('a quote that does not end', refused, 'a: "x\n', '2:1  expected valid YAML or JSON (MISSING_CHAR)');
test(
	'deep nesting',
	refused,
	`${'['.repeat(18)}${']'.repeat(18)}`,
	`1:18 ${'/0'.repeat(17)} expected at most 16 levels`,
);
test('a long text', refused, ' '.repeat(MAX_PROFILE_BYTES + 1), '1:1  expected at most 256 KiB');

test('nesting without end is refused', (t) => {
	for (const opening of ['[', '{a: ', '- ', '? ']) {
		const [{ rule }] = readProfileText(opening.repeat(60_000)).problems;
		t.is(rule, 'expected valid YAML or JSON (RESOURCE_EXHAUSTION)', opening);
	}
});

test('of a text with very many problems only the first are told', (t) => {
	t.is(readProfileText('a: b\n'.repeat(300)).problems.length, 100);
});

test('a key called __proto__ is a key like any other', (t) => {
	const { value } = readProfileText('__proto__: { polluted: yes }\n') as { value: Record<string, unknown> };
	t.deepEqual(Object.keys(value), ['__proto__']);
	t.is(({} as Record<string, unknown>).polluted, undefined);
});

test('anchors of keys are refused too, and what is UTF-16 is told so', (t) => {
	t.regex(readProfileText('&a name: A\n').problems[0].rule, /expected a plain name/);
	const [{ rule }] = readProfileText(Buffer.from('name: A\n', 'utf16le').toString()).problems;
	t.is(rule, 'expected UTF-8 text');
});

const RULE = why('r', 'value-malformed');

test('a problem stands at the nearest thing that was written', (t) => {
	const text = readProfileText('name: x\ncards:\n  - number: "@a"\n    oops: 1\n');
	t.like(text.problemAt(['cards', 0, 'number', 'path'], RULE), {
		line: 3,
		column: 13,
		pointer: '/cards/0/number/path',
	});
	t.like(text.problemAt(['body'], RULE), { line: 1, column: 1, pointer: '/body' });
	t.like(text.problemAtKey(['cards', 0, 'oops'], RULE), { line: 4, column: 5, pointer: '/cards/0/oops' });
});

test('a card number that stands for a key is masked in the pointer', (t) => {
	const { pointer } = readProfileText('a: 1').problemAt(['4111111111111111'], RULE);
	t.is(pointer, '/411111******1111');
});

test('any text is read or refused', (t) => {
	const piece = fc.constantFrom(
		'a',
		': ',
		'\n',
		'  ',
		'- ',
		'[',
		']',
		'{',
		'}',
		'"',
		"'",
		'#',
		'&x',
		'*x',
		'!!t ',
		'? ',
		'|',
		'>',
		'---',
		'\t',
		',',
		'\u0000',
		'<<',
	);
	const text = fc.oneof(
		fc.string({ unit: anyCharacter, maxLength: 60 }),
		fc.array(piece, { maxLength: 40 }).map((all) => all.join('')),
	);
	fc.assert(
		fc.property(text, (written) => {
			for (const { line, column } of readProfileText(written).problems) {
				if (!(line >= 1 && column >= 1)) return false;
			}
			return true;
		}),
		{ numRuns: runs(1000) },
	);
	t.pass();
});
