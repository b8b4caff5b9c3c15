import { existsSync, readFileSync } from 'node:fs';
import test from 'ava';

const TEST = new URL('../', import.meta.url);
const page = readFileSync(new URL('README.md', import.meta.url), 'utf8');
const rows = [...page.matchAll(/^\| (spec|shapes) (§[\d.]+) \| .+ \| (`.+`) \|$/gm)].map(
	([, name, section, files]) => ({
		name,
		section,
		files: [...files.matchAll(/`([^`]+)`/g)].map(([, file]) => file),
	}),
);

test('every file of the table is there and names the section it is listed for', (t) => {
	t.true(rows.length > 60);
	for (const { name, section, files } of rows) {
		for (const file of files) {
			const url = new URL(file, TEST);
			t.true(existsSync(url), file);
			// In a title, several sections may stand behind one name, as in `spec §3, §7.4`.
			const named = new RegExp(`${name}( §[\\d.]+,)* ${section.replaceAll('.', '\\.')}(?![\\d.]*\\d)`, 'i');
			t.true(named.test(readFileSync(url, 'utf8')), `${file} does not name ${name} ${section}`);
		}
	}
});

test('every section that the interface over HTTP has is in the table', (t) => {
	const listed = new Set(rows.map(({ name, section }) => `${name} ${section}`));
	const numbers = [
		'3',
		'4',
		'4.1',
		'5.1',
		'5.2.1',
		'5.2.2',
		'5.2.3',
		'5.3.1',
		'5.3.2',
		'5.3.3',
		'5.4.1',
		'5.4.2',
		'5.4.3',
		'5.4.4',
	];
	numbers.push('5.4.5', '7.1', '7.2', '7.2.1', '7.2.3', '7.2.4', '7.3', '7.4', '8');
	for (const number of numbers) t.true(listed.has(`spec §${number}`), number);
	for (const number of ['1', '2', '3', '8', '9', '11']) t.true(listed.has(`shapes §${number}`), number);
});
