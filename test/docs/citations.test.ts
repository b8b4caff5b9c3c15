// Checks that citations of the interface lead to a section or a rule of docs/interface, and that no section is empty.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import test from 'ava';
import { findCitations, findCitationsElsewhere } from '../helpers/citations.ts';
import { DOCUMENTS, type DocumentName, parseInterface, readInterface, resolves } from '../helpers/interface-pages.ts';

const ROOT = new URL('../../', import.meta.url);
const SIGN = '\u00a7';
const FOLDERS = ['src', 'formats', 'bench', 'test', 'docs', 'config', 'scripts', 'bin', 'deploy', 'types'];
const PAGES = ['README', 'ARCHITECTURE', 'CHANGELOG', 'CONTRIBUTING', 'SECURITY', 'fixtures/README'];
const NAMES = Object.keys(DOCUMENTS) as DocumentName[];

const documents = Object.fromEntries(NAMES.map((name) => [name, readInterface(name)]));

const paths = [
	...FOLDERS.flatMap((folder) => {
		const names = readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' });
		return names.map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
	}),
	...PAGES.map((name) => `${name}.md`),
].filter((path) => statSync(new URL(path, ROOT)).isFile() && !/\.(webp|png)$/.test(path));

const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8');

/** Returns the document that a page is a part of. */
const documentOf = (path: string) =>
	NAMES.find((name) => DOCUMENTS[name].some((page) => path === `docs/interface/${page}`));

test('every citation leads to a section or a rule', (t) => {
	let count = 0;
	const lost = paths.flatMap((path) => {
		const citations = findCitations(read(path), documentOf(path));
		count += citations.length;
		return citations.flatMap(({ line, document, number }) => {
			const found = document === undefined ? undefined : documents[document];
			if (found && resolves(found, number)) return [];
			const what = found ? 'no such section' : document === undefined ? 'names no document' : 'unknown document';
			return [`${path}:${line}: ${document ?? ''} ${SIGN}${number}: ${what}`];
		});
	});
	t.deepEqual(lost, []);
	t.true(count > 800);
	t.log(`${count} citations in ${paths.length} files resolved`);
});

test('nothing leads to what is not in the repository', (t) => {
	const own = ['test/docs/citations.test.ts', 'test/helpers/citations.ts'];
	const elsewhere = paths
		.filter((path) => !own.includes(path))
		.flatMap((path) => findCitationsElsewhere(read(path)).map(({ line, what }) => `${path}:${line}: ${what}`));
	t.deepEqual(elsewhere, []);
});

for (const name of NAMES) {
	test(`${name}: every section has text, and its rules are numbered through`, (t) => {
		const { sections } = documents[name];
		const numbers = sections.map(({ number }) => number);
		t.deepEqual(numbers, [...new Set(numbers)]);
		for (const { number, lines, rules } of sections) {
			const hasParts = numbers.some((other) => other.startsWith(`${number}.`));
			t.true(hasParts || lines > 0, `${number} says nothing`);
			t.true(hasParts || rules.length > 0, `${number} has no rule`);
			// The rules before the parts of a section are numbered as if they were part 0.
			const prefix = hasParts ? `${number}.0` : number;
			t.deepEqual(
				rules,
				rules.map((_, i) => `${prefix}.${i + 1}`),
			);
		}
	});
}

test('every decision of this project is marked as ours, and made where the table says', (t) => {
	const rows = read('docs/interface/decided-here.md').match(/^\| (?!Silent|---).+\|$/gm) ?? [];
	t.true(rows.length > 25);
	for (const row of rows) {
		const [silent, rules, places = ''] = row.slice(2, -2).split(' | ');
		const cited = findCitations(rules);
		t.true(cited.length > 0, silent);
		for (const { document, number } of cited) {
			t.regex(textOf(document as DocumentName, number), /\(ours\)/, `${silent}: ${document} ${number}`);
		}
		const files = [...places.matchAll(/`([\w./-]+\.ts)`/g)].map(([, file]) => file);
		t.true(files.length > 0, silent);
		for (const file of files) t.true(existsSync(new URL(file, ROOT)), file);
	}
});

/** Returns a rule with all its lines, or an empty text if there is no rule of this number. */
function textOf(document: DocumentName, number: string): string {
	const text = DOCUMENTS[document].map((page) => read(`docs/interface/${page}`)).join('\n');
	return text.split(/\n(?=- |\||#|$)/).find((part) => /\*\*([\d.]+)\*\*/.exec(part)?.[1] === number) ?? '';
}

test('citations are read as people write them', (t) => {
	const cited = (text: string, own?: DocumentName) =>
		findCitations(text.replaceAll('S', SIGN), own).map(({ document, number }) => `${document} ${number}`);
	t.deepEqual(cited('(spec S7.4, shapes S3, S11)'), ['spec 7.4', 'shapes 3', 'shapes 11']);
	t.deepEqual(cited('spec S4, S5, S7 and S8.'), ['spec 4', 'spec 5', 'spec 7', 'spec 8']);
	t.deepEqual(cited('Every row of spec S7.4 and code of S7.3'), ['spec 7.4', 'spec 7.3']);
	t.deepEqual(cited('// see shapes\n// S10'), ['shapes 10']);
	t.deepEqual(cited('in S2, as shapes S1 says', 'spec'), ['spec 2', 'shapes 1']);
	t.deepEqual(cited('- **1.1** see shapes S1.\n- **1.2** see S2.', 'spec'), ['shapes 1', 'spec 2']);
	t.deepEqual(cited('RFC 9110 S7.6.1, S7.7 and draft-ietf-secsh-filexfer-02 S7'), []);
	t.deepEqual(cited('(RFC 8259 S6, S7), formats S8'), ['formats 8']);
	t.deepEqual(cited('the laws (design S3)'), ['design 3']);
	t.deepEqual(cited('spec S1\n\nand S2'), ['spec 1', 'undefined 2']);
	t.deepEqual(findCitationsElsewhere('as issue 12 says').length, 1);
	t.deepEqual(findCitationsElsewhere('(formats "Corrected after")').length, 1);
});

test('a rule is found in a list and in a table, and an empty section is seen', (t) => {
	const { sections, rules } = parseInterface(
		[`## ${SIGN}1 One`, '', '- **1.1** A rule.', `## ${SIGN}2 Two`, '| **2.1** | x |', `## ${SIGN}3 Three`].join('\n'),
	);
	t.deepEqual([...rules.keys()], ['1.1', '2.1']);
	t.deepEqual(
		sections.map(({ lines }) => lines),
		[1, 1, 0],
	);
});
