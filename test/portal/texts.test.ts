// Tests that the texts of the portal are the same in every language, and that pages name no others.

import test from 'ava';
import { isTextKey, PORTAL_LANGUAGES, sayIn, TEXTS, textsUnder } from '../../src/doors/http/portal/texts.ts';
import { files } from '../helpers/source-rules.ts';

const english = TEXTS.en;

test('every language has every text and no other, with the same values to fill in', (t) => {
	t.deepEqual(Object.keys(TEXTS), Object.keys(PORTAL_LANGUAGES));
	for (const [code, texts] of Object.entries(TEXTS)) {
		t.deepEqual(Object.keys(texts), Object.keys(english), `${code}: the keys, in their order`);
		for (const [key, text] of Object.entries(texts)) {
			t.truthy(text.trim(), `${code} ${key}`);
			t.deepEqual(placesIn(text), placesIn(english[key as keyof typeof english]), `${code} ${key}`);
		}
	}
});

function placesIn(text: string): string[] {
	return (text.match(/\{\w+\}/g) ?? []).sort();
}

/** The values of texts that are numbers, and texts whose number is never one. */
const NUMBERS = 'count|cards|refused|warned|others|entries|calls|numbers|seconds';
const ALWAYS_MANY = ['frame.foundMore', 'trail.atLeast'];

test('no number that can be one stands before a word, unless the text has both forms', (t) => {
	for (const [code, texts] of Object.entries(TEXTS)) {
		const isPlural = ([key, text]: [string, string]) =>
			!/\.(?:one|other)$/.test(key) &&
			!ALWAYS_MANY.includes(key) &&
			new RegExp(`\\{(?:${NUMBERS})\\} (?!in all|insgesamt|en tout|en total)\\p{L}`, 'u').test(text);
		const found = Object.entries(texts).filter(isPlural);
		t.deepEqual(found, [], code);
	}
});

test('every text is named by a page, by its key or by what its key begins with', (t) => {
	const lines = files.filter(({ path }) => path.startsWith('src/doors/http/portal/')).flatMap((file) => file.lines);
	const source = lines.join('\n');
	const begun = [...source.matchAll(/[`']([a-z]+(?:\.\w+)*\.)(?:\$\{|')/g)].map(([, prefix]) => prefix);
	const endings = [...source.matchAll(/`([a-z]+(?:\.\w+)*\.)\$\{\w+\}(\w+)`/g)].map(([, prefix, end]) => ({
		prefix,
		end,
	}));
	const isCounted = (key: string) => `${stemOf(key)}.one` in english && `${stemOf(key)}.other` in english;
	const stemOf = (key: string) => key.replace(/\.(?:one|other)$/, '');
	const isNamed = (key: string) =>
		(isCounted(key) && source.includes(`'${stemOf(key)}'`)) ||
		source.includes(`'${key}'`) ||
		begun.some((prefix) => key.startsWith(prefix)) ||
		endings.some(({ prefix, end }) => key.startsWith(prefix) && key.endsWith(end));
	t.deepEqual(
		Object.keys(english).filter((key) => !isNamed(key)),
		[],
	);
});

test('a text is said with values in place of its placeholders, and a script gets texts as they are', (t) => {
	t.is(sayIn('de')('people.linkTitle', { name: '{count} & <b>' }), 'Link für {count} & <b>');
	t.is(sayIn('en')('frame.idle'), english['frame.idle']);
	t.is(textsUnder('fr', 'upload.').waiting, TEXTS.fr['upload.waiting']);
	t.true(isTextKey('frame.back'));
	for (const key of ['frame', 'toString', '__proto__', '']) t.false(isTextKey(key), key);
});
