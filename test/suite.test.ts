// Checks what runs of the suite have: every test file belongs to one share or is alone, a plain run leaves out the files whose
// names say that they are slow, and the commands that promise all tests have all.

import { globSync, readFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import test from 'ava';
import config from '../ava.config.js';
import suite from '../ava.suite.config.js';
import { CITUS_URL } from './helpers/citus-url.ts';
import { databases } from './helpers/database.ts';
import { patient } from './helpers/patience.ts';
import { ALONE, filesOfRun, isSlow, isWholeRun, shareOf, shares, TESTS } from './suite/shares.ts';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');

/** Everything under `test/` that declares a test, whatever its name is. */
const declaring = globSync('**/*.{ts,js,mjs}', { cwd: TESTS })
	.filter((path) => !/^(helpers|suite)\//.test(path) || path.endsWith('.test.ts'))
	.filter((path) => /^test(\.serial)?\(/m.test(read(path)))
	.sort();

test('a whole run has every file that declares tests, and a plain run all but those whose names say slow', (t) => {
	const [whole, plain] = [filesOfRun(true), filesOfRun(false)];
	t.deepEqual(config.files, ['test/**/*.test.ts']);
	t.true(whole.length > 400);
	t.deepEqual(
		declaring.filter((path) => !whole.includes(path)),
		[],
	);
	const slow = whole.filter((path) => /[.-]slow\.test\.ts$/.test(path));
	t.true(slow.length > 100);
	t.deepEqual(slow, whole.filter(isSlow));
	t.deepEqual([...plain, ...slow].sort(), whole);
});

test('every folder of tests is named by one share or is alone, or lies in one that is', (t) => {
	const named = [...Object.values(shares).flatMap(({ folders }) => folders as readonly string[]), ...ALONE];
	t.deepEqual(named, [...new Set(named)]);
	const folders = [...new Set(filesOfRun(true).map((path) => dirname(path)))];
	for (const folder of named) {
		t.true(
			folders.some((each) => each === folder || each.startsWith(`${folder}/`)),
			folder,
		);
	}
	t.is(shareOf('http/guide/guide.test.ts'), 'pages');
	t.is(shareOf('http/files.slow.test.ts'), 'http');
	t.is(shareOf('gateway/drivers/contract.test.ts'), 'cards');
	t.is(shareOf('relay/bodies/bodies.slow.test.ts'), undefined);
	t.is(shareOf('readme.test.ts'), 'pages');
});

test('every share has a file that the suite begins with, and tests in every run', (t) => {
	const names = globSync('*.suite.ts', { cwd: `${TESTS}suite` }).map((name) => name.replace('.suite.ts', ''));
	t.deepEqual(names.sort(), Object.keys(shares).sort());
	for (const name of names) {
		t.is(read(`suite/${name}.suite.ts`), `import { loadShare } from './load.ts';\n\nloadShare('${name}');\n`);
		t.true(
			filesOfRun(false).some((path) => shareOf(path) === name),
			name,
		);
	}
});

test('the suite is the shares and the files that are alone, and all of it goes through both databases in a whole run', (t) => {
	const alone = filesOfRun().filter((path) => shareOf(path) === undefined);
	t.true(alone.length > 0);
	t.deepEqual(suite.files, ['test/suite/*.suite.ts', ...alone.map((path) => `test/${path}`)]);
	t.is(suite.environmentVariables.TOKENDROP_TEST_PLAIN, isWholeRun() ? undefined : '1');
	const isPlain = process.env.TOKENDROP_TEST_PLAIN === '1';
	const whole = CITUS_URL === undefined ? ['sqlite', 'postgres'] : ['postgres'];
	t.deepEqual(databases, isPlain && CITUS_URL === undefined ? ['sqlite'] : whole);
});

test('what quick and slow tests share stands in a file that both import', (t) => {
	const shared = globSync('**/*.setup.ts', { cwd: TESTS });
	t.true(shared.length > 10);
	for (const path of shared) {
		const name = basename(path, '.setup.ts');
		for (const each of [`${name}.test.ts`, `${name}.slow.test.ts`]) {
			t.true(read(`${dirname(path)}/${each}`).includes(`from './${name}.setup.ts';`), `${each} beside ${path}`);
		}
	}
});

test('a plain run leaves out slow tests; one in which every test is asked for, or every program required, has all', (t) => {
	t.false(isWholeRun({}));
	t.false(isWholeRun({ TOKENDROP_TEST_ALL: '0', CI: 'true' }));
	for (const env of [{ TOKENDROP_TEST_ALL: '1' }, { TOKENDROP_TEST_LONG: '1' }, { TOKENDROP_TEST_REQUIRE: 'all' }]) {
		t.true(isWholeRun(env));
	}
});

test('test:all, test:long and CI ask for every test', (t) => {
	const { scripts } = JSON.parse(read('../package.json'));
	const asked = [scripts['test:all'], scripts['test:long'], read('../.ci/run')];
	for (const text of asked) {
		const [, name, value] =
			text.match(/\b(TOKENDROP_TEST_\w+)=(\w+) (?:npm test|ava --config ava\.suite\.config\.js)/) ?? [];
		t.true(isWholeRun({ [name]: value }), text);
	}
});

test('no test is given up before what it waits for could have come on a machine four times slower', (t) => {
	const limitMs = Number.parseInt(config.timeout, 10) * 1000;
	t.true(limitMs >= patient(120_000));
	t.deepEqual(
		globSync('**/*.ts', { cwd: TESTS }).filter((path) => /\bt\.timeout\(/.test(read(path))),
		[],
		'AVA waits without end for a test that hangs while another has asked for more time',
	);
});
