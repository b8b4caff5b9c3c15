// Writes the tables of docs/formats/names.md from the vocabulary.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { DEFAULT_KEYWORDS } from '../../formats/scan/free-text.ts';
import { COMMON_WORDS, FIELD_WORDS, WORD_KINDS, type WordKind } from '../../src/base/card/names/field-words.ts';
import { PLACEHOLDER_WORDS } from '../../src/base/card/names/placeholders.ts';

const PAGE = new URL('../../docs/formats/names.md', import.meta.url);
const oneLine = (words: string) => words.split(/\s+/).join(' ');

const SAYS: Readonly<Record<WordKind, string>> = {
	card: 'a card',
	cardKind: 'goes with a word for a card',
	pan: 'a card number by itself',
	number: 'number',
	account: 'account; with a word for a card its number',
	form: 'form of payment: a card beside number, expiry or CVV',
	expiry: 'the end of a card’s life',
	due: 'the same beside a word for a card',
	valid: 'the same beside month or year',
	date: 'date',
	monthYear: 'month and year in one',
	month: 'month',
	year: 'year',
	cvv: 'a security code by itself',
	security: 'with `code`, `number` or `card`: a security code',
	verification: 'the same; as a name without `card` only in context',
	code: 'code; with nothing but `card` the type, or the CVV if three or four digits stand there',
	type: 'type',
	holder: 'holder',
	cardHolder: 'the holder of a card',
	name: 'name',
	reference: 'reference',
	joint: 'stands between words',
	whose: 'whose card, or which; the meaning stays',
	masked: 'the number is not written out: in context only',
	part: 'a part of the number: no field',
	not: 'another thing called card, or something said of the field: no field',
};

/** Returns the rows of each table that is generated, by the head of the table. */
const TABLES: Readonly<Record<string, readonly (readonly string[])[]>> = {
	'| Word | Says | Spellings |\n|---|---|---|\n': WORD_KINDS.map((kind) => [
		`\`${kind}\``,
		SAYS[kind],
		oneLine(FIELD_WORDS[kind]),
	]),
	'| List | Words |\n|---|---|\n': [
		['words that mean many things', [...COMMON_WORDS].join(' ')],
		['keywords of free text', DEFAULT_KEYWORDS.join(', ')],
	],
	'| Used by | Words |\n|---|---|\n': Object.entries(PLACEHOLDER_WORDS).map(([who, words]) => [who, oneLine(words)]),
};

/** Returns the page as it must be: its own words, with the tables of the vocabulary. @throws Error if it lacks a table */
export function generateNamesPage(): string {
	return Object.entries(TABLES).reduce((page, [head, rows]) => {
		const start = page.indexOf(head);
		if (start < 0) throw new Error(`docs/formats/names.md: no table ${head}`);
		const rest = page.slice(start + head.length).replace(/^(?:\|.*\n)*/, '');
		return `${page.slice(0, start)}${head}${rows.map((row) => `| ${row.join(' | ')} |\n`).join('')}${rest}`;
	}, readNamesPage());
}

/** Returns the page as it is now. */
export function readNamesPage(): string {
	return readFileSync(PAGE, 'utf8');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PAGE, generateNamesPage());
