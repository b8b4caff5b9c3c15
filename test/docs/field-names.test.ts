// Checks docs/formats/names.md: its words are those of the vocabulary, and its examples mean what it says.

import { readFileSync } from 'node:fs';
import test from 'ava';
import { findFieldMeaning } from '../../src/card/field-names.ts';
import { FIELD_WORDS, WORD_KINDS } from '../../src/card/field-words.ts';
import { NUMBER_NAMES, nearestNumberName } from '../../src/card/nearest-name.ts';
import { PLACEHOLDER_WORDS } from '../../src/card/placeholders.ts';

const page = readFileSync(new URL('../../docs/formats/names.md', import.meta.url), 'utf8');

test('the words of the page are those of the vocabulary', (t) => {
	const rows = [...page.matchAll(/^\| `(\w+)` \| [^|]+ \| ([^|]+) \|$/gm)];
	const onPage = Object.fromEntries(rows.map(([, kind, words]) => [kind, words.trim()]));
	const known = WORD_KINDS.map((kind) => [kind, FIELD_WORDS[kind].split(/\s+/).join(' ')]);
	t.deepEqual(onPage, Object.fromEntries(known));
});

test('the placeholders of the page are those of the table', (t) => {
	const [, section] = page.split('## Placeholders');
	const rows = [...section.matchAll(/^\| ([^|]+) \| ([^|]+) \|$/gm)].slice(1);
	const known = Object.entries(PLACEHOLDER_WORDS).map(([who, words]) => [who, words.replace(/\s+/g, ' ')]);
	t.deepEqual(
		rows.map(([, who, words]) => [who, words]),
		known,
	);
});

test('every example of the page means what its row says', (t) => {
	const rows = [
		...page.matchAll(
			/^\| (number|expiry|month|year|cvv|type|name|reference|none) \| (surely|in context|) ?\| (.+) \|$/gm,
		),
	];
	t.true(rows.length > 12);
	for (const [, field, how, examples] of rows) {
		for (const [, name] of examples.matchAll(/`([^`]+)`/g)) {
			const meaning = findFieldMeaning(name);
			t.is(meaning?.field ?? 'none', field, name);
			if (meaning !== undefined) t.is(meaning.isSure, how === 'surely', name);
		}
	}
});

test('every name that an error suggests is a name of a card number', (t) => {
	for (const name of NUMBER_NAMES) t.is(findFieldMeaning(name)?.field, 'number', name);
	t.is(nearestNumberName('Kratennummer'), 'Kartennummer');
	t.is(nearestNumberName('Crad Nubmer'), 'Card Number');
	for (const name of ['Amount', 'Cart', 'Passenger', 'Card Type', '']) t.is(nearestNumberName(name), undefined, name);
});
