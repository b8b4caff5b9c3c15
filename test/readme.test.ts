// Checks that what README.md tells people to type exists and does what it shows (the upload itself runs in `npm run demo`),
// and that what the other pages name is there.

import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import packageJson from '../package.json' with { type: 'json' };
import { banner } from '../src/commands/installation/serve.ts';
import { openCommandRunner } from './helpers/run-command.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const blocks = [...readme.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language, text]) => ({ language, text }));
const commandLines = blocks.flatMap(({ language, text }) => (language === 'sh' ? text.trim().split('\n') : []));

/** The commands of README.md, such as `npm run -s tokendrop -- account list`, each as the list of words after `--`. */
const tokendropCommands = commandLines
	.map((line) => line.match(/^npm run -s tokendrop -- (.*)$/)?.[1].split(' '))
	.filter((words) => words !== undefined);

/** Returns the block that comes after a line of prose. */
function blockAfter(prose: string): string {
	const start = readme.indexOf(prose);
	if (start < 0) throw new Error(`README.md does not say: ${prose}`);
	return readme.slice(start).match(/^```\w*\n(.*?)^```$/ms)![1];
}

test('every npm script it names is in package.json', (t) => {
	const named = [...readme.matchAll(/npm run (?:-s )?([\w-]+)/g)].map(([, script]) => script);
	if (/npm start/.test(readme)) named.push('start');
	if (/npm test/.test(readme)) named.push('test');
	t.true(named.length > 10);
	t.deepEqual(
		named.filter((script) => !(script in packageJson.scripts)),
		[],
	);
});

test('every tokendrop command it shows exists, with its options and its arguments', async (t) => {
	const run = openCommandRunner(t);
	t.true(tokendropCommands.length > 5);
	for (const words of tokendropCommands) {
		if (words[0] === '--help') continue;
		const firstOption = words.findIndex((word) => word.startsWith('--'));
		const path = words.slice(0, firstOption < 0 ? words.length : firstOption);
		const { code, stdout } = await run.text(...path, '--help');
		t.is(code, 0, words.join(' '));
		t.true(stdout.startsWith(`Usage: tokendrop ${path.join(' ')}`), `${path.join(' ')}: ${stdout.split('\n')[0]}`);
		for (const option of words.filter((word) => word.startsWith('--'))) {
			t.regex(stdout, new RegExp(`^\\s+${option}\\b`, 'm'), `${words.join(' ')}: ${option}`);
		}
	}
});

test('every path that a page links to is there', (t) => {
	const pages = ['.', 'docs', 'docs/formats', 'docs/decisions', 'docs/recipes', 'docs/interface', 'fixtures']
		.flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)))
		.filter((path) => path.endsWith('.md'));
	t.true(pages.length > 20);
	const broken = pages.flatMap((page) =>
		[...readFileSync(join(root, page), 'utf8').matchAll(/\]\((?!https?:)([^)#]+)/g)]
			.map(([, target]) => target)
			.filter((target) => !existsSync(join(root, dirname(page), target)))
			.map((target) => `${page}: ${target}`),
	);
	t.deepEqual(broken, []);
});

test('the map and its folders name files that exist, and every folder of src; the map fits two screens', (t) => {
	const map = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
	t.true(map.split('\n').length < 120);
	const text = map + readFileSync(join(root, 'docs/folders.md'), 'utf8');
	const folders = readdirSync(join(root, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
	const all = globSync('{config,formats,src,test,bench}/**/*.{ts,yaml}', { cwd: root });
	const named = [...text.matchAll(/`([\w./-]+\.(?:ts|yaml))`/g)].map(([, path]) => path);
	t.true(named.length > 50);
	t.deepEqual(
		named.filter((path) => !all.some((file) => file === path || file.endsWith(`/${path}`))),
		[],
	);
	t.deepEqual(
		folders.map(({ name }) => name).filter((name) => !text.includes(`${name}/\``)),
		[],
	);
});

test('the table of formats names every filter, and no other', async (t) => {
	const { formats } = await import('../formats/index.ts');
	const rows = [...readme.matchAll(/^\| `([A-Z]+)`\s*\|/gm)].map(([, filter]) => filter);
	t.deepEqual(rows.toSorted(), [...formats.keys()].toSorted());
});

test('the first start it shows is what a first start prints', (t) => {
	const shown = blockAfter('## The first upload').trim().split('\n').slice(1);
	const find = (pattern: RegExp) => shown.flatMap((line) => line.match(pattern)?.[1] ?? []);
	const [sftpPort] = find(/sFTP on .* port (\d+),/);
	const [opsPort] = find(/metrics on port (\d+)\./);
	const [baseUrl] = find(/HTTP at (\S+),/);
	const printed = banner({ sftp: { host: '127.0.0.1' } } as Parameters<typeof banner>[0], {
		sftpPort: Number(sftpPort),
		opsPort: Number(opsPort),
		baseUrl,
		fingerprints: find(/^ {2}host key (.*)$/),
		hasNativeBinding: true,
		demo: { userId: find(/^ {2}user {4}(.*)$/)[0], apiKey: find(/^ {2}key {5}(.*)$/)[0] },
		portal: find(/^ {2}portal {2}(.*)$/)[0],
	});
	t.deepEqual(printed.split('\n').slice(0, shown.length), shown);
});

test('the transfer it shows is what happens: tokens for the cards, the same report, every byte back', async (t) => {
	const run = openCommandRunner(t);
	const input = join(root, 'fixtures/SIMPLECSV/01-basic/input.csv');
	t.true(readme.includes('put fixtures/SIMPLECSV/01-basic/input.csv /tokenize/SIMPLECSV/'));
	const tokenized = join(run.dataDir, 'tokenized.csv');
	const back = join(run.dataDir, 'back.csv');
	const report = join(run.dataDir, 'report.json');
	const asDemo = ['--user-id', 'demo', '--filter', 'SIMPLECSV'];
	t.is((await run('account', 'create', '--user-id', 'demo', '--cvv-retention', '--permissions', 'all')).code, 0);
	t.is((await run('file', 'tokenize', ...asDemo, '--report', report, input, tokenized)).code, 0);
	t.is((await run('file', 'detokenize', ...asDemo, tokenized, back)).code, 0);

	const unified = (text: string) =>
		text
			.replaceAll(/\b[0-9a-f]{32}\b/g, 'TOKEN')
			.replaceAll('\r\n', '\n')
			.trim();
	t.is(unified(blockAfter('What went in:')), unified(readFileSync(input, 'utf8')));
	t.is(unified(blockAfter('What came out')), unified(readFileSync(tokenized, 'utf8')));
	// README.md shows an excerpt: whole lines of the report, in their order.
	const linesOf = (text: string) => text.split('\n').map((line) => line.trim());
	const shown = linesOf(blockAfter('report says where and why:').trim());
	const written = linesOf(readFileSync(report, 'utf8'));
	t.true(shown.length > 5);
	t.deepEqual(
		written.filter((line) => shown.includes(line) && /^["{]/.test(line)),
		shown.filter((line) => /^["{]/.test(line)),
	);
	t.deepEqual(readFileSync(back), readFileSync(input));
});
