import test from 'ava';
import { direction, fillText, LANGUAGE_CODES, languageOf, textsOf } from '../../src/base/pages/languages/index.ts';

test('a language that is unknown is English, and a country has the language of its people', (t) => {
	t.is(languageOf('de-AT'), 'de');
	t.is(languageOf('DE_ch'), 'de');
	for (const unknown of [undefined, '', 'xx', '<script>', '__proto__', 'constructor']) t.is(languageOf(unknown), 'en');
	t.is(textsOf('de').form.submit, 'Absenden');
	t.is(direction('en'), 'ltr');
});

test('every language has every text, with the same values to fill in', (t) => {
	const english = Object.entries(textsOf('en'));
	for (const code of LANGUAGE_CODES) {
		for (const [group, texts] of english) {
			const own = (textsOf(code) as never as Record<string, Record<string, string>>)[group];
			for (const [name, text] of Object.entries(texts)) {
				t.truthy(own[name]?.trim(), `${code} ${group}.${name}`);
				t.deepEqual(valuesOf(own[name]), valuesOf(text), `${code} ${group}.${name}`);
			}
		}
	}
});

function valuesOf(text: string): string[] {
	return (text.match(/\{\w+\}/g) ?? []).sort();
}

test('values are filled in as they are, and a name without one stays', (t) => {
	t.is(fillText('{a} of {b}, {c}', { a: '{b}', b: 2 }), '{b} of 2, {c}');
});

/** Words that are the same in English and in another language, or that nobody translates. */
const SAME = new Set([
	'de view.code',
	'ar form.expiryFormat',
	'he form.expiryFormat',
	'fr view.code',
	'nl view.code',
	'cs request.reference',
	'da request.reference',
]);

test('no text was left in English, and none is written in the letters of another language', (t) => {
	t.true(LANGUAGE_CODES.length >= 12);
	for (const code of LANGUAGE_CODES.filter((each) => each !== 'en')) {
		for (const [group, texts] of Object.entries(textsOf('en'))) {
			const own = (textsOf(code) as never as Record<string, Record<string, string>>)[group];
			t.deepEqual(Object.keys(own), Object.keys(texts), `${code} ${group}`);
			for (const [name, text] of Object.entries(texts)) {
				const place = `${code} ${group}.${name}`;
				const isSame = own[name] === text;
				t.true(!isSame || SAME.has(place), place);
				const script = SCRIPTS[code];
				const words = own[name].replace(/\{\w+\}|CVV|MM \/ YY|ID/g, '');
				if (script && /\p{L}/u.test(words)) t.regex(words, script, place);
				t.notRegex(
					words,
					OTHERS[code] ?? /[\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Han}]/u,
					place,
				);
			}
		}
	}
});

/** The letters that each text of a language with a script of its own must have; `OTHERS` are those it must not have. */
const SCRIPTS: Readonly<Record<string, RegExp>> = {
	ru: /\p{Script=Cyrillic}/u,
	ar: /\p{Script=Arabic}/u,
	he: /\p{Script=Hebrew}/u,
	ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u,
	zh: /\p{Script=Han}/u,
};
const LATIN = /\p{Script=Latin}/u;
const OTHERS: Readonly<Record<string, RegExp>> = {
	ru: LATIN,
	ar: LATIN,
	he: LATIN,
	ja: LATIN,
	zh: /[\p{Script=Latin}\p{Script=Hiragana}\p{Script=Katakana}]/u,
};

test('Arabic and Hebrew run from right to left, and a month before a year keeps its place in them', (t) => {
	for (const code of LANGUAGE_CODES) t.is(direction(code), code === 'ar' || code === 'he' ? 'rtl' : 'ltr');
	for (const code of ['ar', 'he', 'iw']) {
		t.true(textsOf(code).problems.expiresSoon.includes('\u200e{month} / {year}\u200e'), code);
		t.true(textsOf(code).problems.expiryIncomplete.includes('\u200e08 / 29\u200e'), code);
	}
});
