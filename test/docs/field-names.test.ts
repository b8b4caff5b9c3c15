// Checks docs/formats/names.md: its words are those of the vocabulary, and its examples mean what it says.

import test from 'ava';
import { findFieldMeaning } from '../../src/base/card/names/field-names.ts';
import { NUMBER_NAMES, nearestNumberName } from '../../src/base/card/names/nearest-name.ts';
import { generateNamesPage, readNamesPage } from '../helpers/generate-names.ts';

const page = readNamesPage();

test('the lists of the page are those that the vocabulary makes', (t) => {
	t.is(page, generateNamesPage(), 'npm run generate:names writes them');
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
