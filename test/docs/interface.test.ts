// Checks docs/interface against the service: its lists are those of the code, and its calls those of the OpenAPI document.

import { readFileSync } from 'node:fs';
import test from 'ava';
import { CARD_TYPES } from '../../src/base/card/brand.ts';
import { REFUSALS, WARNINGS } from '../../src/base/card/verdict.ts';
import { catalogue } from '../../src/base/errors.ts';
import { JOB } from '../../src/doors/http/files/job-schemas.ts';
import { OPERATION, TRANSACTION } from '../../src/doors/http/gateway/answer.ts';
import { METADATA } from '../../src/doors/http/tokens/schemas.ts';
import { EFFECTS } from '../../src/people/identity/effects.ts';
import { allPermissions, defaultPermissionsOf } from '../../src/people/identity/permissions.ts';
import { CVV_DESTINATION_TYPES } from '../../src/vault/cvvs/destination-types.ts';
import { OPERATIONS, RESULTS } from '../../src/work/payments/gateway/operation.ts';
import { WALLET_OPERATIONS } from '../../src/work/payments/wallet/operation.ts';
import { openHttpApp } from '../helpers/http-app.ts';
import { DOCUMENTS, type DocumentName } from '../helpers/interface-pages.ts';
import { sourceFiles } from '../helpers/source-files.ts';

const FOLDER = new URL('../../docs/interface/', import.meta.url);

const textOf = (name: DocumentName) =>
	DOCUMENTS[name].map((page) => readFileSync(new URL(page, FOLDER), 'utf8')).join('\n');
const all = `${textOf('spec')}\n${textOf('shapes')}\n${textOf('formats')}`;

/** Returns a rule of shapes, on one line. */
function rule(number: string): string {
	const text = textOf('shapes');
	const part = text.split(/\n(?=- |\||#|$)/).find((each) => each.includes(`**${number}** `));
	return part?.replace(/\s+/g, ' ') ?? '';
}

/** Returns the words of a rule that stand between backticks, and the names of the members of documents in braces. */
const names = (text: string) => [...text.matchAll(/`(\w+)`|"(\w+)"/g)].map(([, code, member]) => code ?? member);

test('the lists of names are those of the code', (t) => {
	const types = [rule('2.7').match(/types: (.*)\./), rule('2.14').match(/are (.*)\./)].flatMap((list) => {
		return list?.[1].split(/, | and /) ?? [];
	});
	t.deepEqual(types.toSorted(), [...CARD_TYPES].toSorted());
	t.deepEqual(names(rule('3.12')).slice(0, -1), Object.keys(METADATA.schema.properties));
	t.deepEqual(names(rule('3.17')).toSorted(), [...CVV_DESTINATION_TYPES].toSorted());
	t.deepEqual(names(rule('7.3')).slice(1), [...OPERATIONS]);
	t.deepEqual(names(rule('7.5')).slice(1), [...RESULTS]);
	t.deepEqual(names(rule('7.4')), Object.keys(OPERATION.schema.properties));
	t.deepEqual(names(rule('8.2')).slice(1).toSorted(), [...WALLET_OPERATIONS].toSorted());
	const jobs = new Set([...names(rule('11.33')), ...names(rule('11.34'))]);
	for (const name of Object.keys(JOB.properties)) t.true(jobs.has(name), name);
	const transaction = new Set([...names(rule('7.11')), ...names(rule('7.4'))]);
	for (const name of Object.keys(TRANSACTION.schema.properties)) t.true(transaction.has(name), name);
});

test('permissions are those that can be granted', (t) => {
	t.deepEqual(names(rule('9.2')).toSorted(), [...allPermissions].toSorted());
	const lacked = (kind: 'primary' | 'sub-user') =>
		[...allPermissions].filter((name) => !defaultPermissionsOf({ kind }).has(name));
	t.deepEqual(lacked('primary').toSorted(), names(rule('9.4')).slice(0, 3).toSorted());
	t.deepEqual(lacked('sub-user').toSorted(), names(rule('9.4')).toSorted());
});

test('every permission that can be granted is checked, but for those that wait', (t) => {
	const textOf = (...folders: string[]) =>
		sourceFiles(...folders)
			.filter(({ path }) => !path.endsWith('/effects.ts'))
			.flatMap(({ lines }) => lines)
			.join('\n');
	const [atDoors, anywhere] = [textOf('src/doors/http'), textOf('src')];
	const effects = Object.entries(EFFECTS).filter(([effect]) => anywhere.includes(`'${effect}'`));
	const checked = new Set<string>(effects.map(([, permission]) => permission));
	const unchecked = [...allPermissions].filter((name) => !checked.has(name) && !atDoors.includes(`'${name}'`));
	t.deepEqual(unchecked.toSorted(), names(rule('9.5')).toSorted());
});

test('every text that is said of a card, and every message with a code, is there', (t) => {
	const formats = readFileSync(new URL('../formats/README.md', FOLDER), 'utf8');
	for (const text of [...Object.values(REFUSALS), ...Object.values(WARNINGS)]) {
		// A text that only files can bring is in the pages about the formats.
		t.true(all.includes(text) || formats.includes(text), text);
	}
	for (const { code, message } of Object.values(catalogue)) {
		if (code === null || message === null) continue;
		t.true(all.includes(message), message);
		t.true(all.includes(String(code)), String(code));
	}
});

/** Removes the names of parameters from a path, so that `/api/jobs/{id}` and `/api/jobs/{jobId}` are the same path. */
const plain = (path: string) => path.replace(/\{[^}]*\}/g, '{}').replace(/\/\*$/, '/{}');

test('every path of the service is there, and every path there is one of the service or not built yet', async (t) => {
	const parts = await openHttpApp(t);
	const { paths } = (await parts.app.inject({ method: 'GET', url: '/openapi.json' })).json<{ paths: object }>();
	const served = new Set(Object.keys(paths).map(plain));
	t.true(served.size > 35);
	const rules = all.replace(/\s*\n {2}/g, ' ').split('\n');
	const written = rules.flatMap((line) => {
		const isBuilt = !line.includes('(not built yet)');
		return pathsIn(line).map((path) => ({ path, isBuilt }));
	});
	const named = new Set(written.map(({ path }) => path));
	t.deepEqual(
		[...served].filter((path) => !named.has(path)),
		[],
	);
	const unserved = written.filter(({ path, isBuilt }) => isBuilt && !served.has(path) && !NO_CALLS.has(path));
	t.deepEqual(unserved, []);
	t.deepEqual(
		written.filter(({ path, isBuilt }) => !isBuilt && served.has(path)),
		[],
	);
});

/** Paths that are no calls: pages, the OpenAPI document itself, and texts that stand for several paths. */
const NO_CALLS = new Set(['/api/eWalletOperation', '/openapi.json', '/docs', '/api/payments/paycard/{}']);

/**
 * Returns the paths of calls in a line, each without its query; `[/{x}]` stands for the path with and without this part.
 */
function pathsIn(line: string): string[] {
	const found = [...line.matchAll(/(?<![\w}])(\/(?:api|docs|openapi\.json)(?:\/[\w{}*.-]+|\[\/[^\]]*\]+)*)/g)].map(
		([, path]) => path,
	);
	const roots = line.includes('`GET /`') ? ['/'] : [];
	return [...roots, ...found.flatMap(withAndWithout).map(plain)];
}

function withAndWithout(path: string): string[] {
	const [start, ...parts] = path.replaceAll(']', '').split('[');
	const paths = [start];
	for (const part of parts) paths.push(`${paths.at(-1)}${part}`);
	return paths;
}
