import test from 'ava';
import { direction, fillText, LANGUAGE_CODES, languageOf, textsOf } from '../../src/pages/languages/index.ts';

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
