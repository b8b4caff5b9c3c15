import test from 'ava';
import { CredentialEndedError } from '../../src/people/identity/credentials/ending.ts';
import type { OpenMode, Tree, TreeFile } from '../../src/work/folders/tree.ts';
import { watchedTree } from '../../src/work/folders/watched-tree.ts';

const WRITE: OpenMode = { read: false, write: true, append: false, create: true, truncate: true, exclusive: false };
const READ: OpenMode = { ...WRITE, read: true, write: false, create: false, truncate: false };

/** Opens a tree that notes which calls reach it, behind a credential that a test can end. */
function openWatched() {
	const done: string[] = [];
	const note = (what: string) => async () => void done.push(what);
	const file = {
		...{ auditedPath: '/detokenized/SIMPLECSV/may.csv', read: async () => Buffer.from('x') },
		...{ close: note('close'), abandon: note('abandon') },
	} as unknown as TreeFile;
	const inner = { open: async () => file, rename: note('rename'), remove: note('remove'), close: note('end') };
	let hasEnded = false;
	const standing = {
		signal: new AbortController().signal,
		async check() {
			if (hasEnded) throw new CredentialEndedError('the API key was revoked');
		},
		release: () => void done.push('release'),
	};
	const tree = watchedTree(inner as unknown as Tree, standing);
	return { tree, done, end: () => (hasEnded = true) };
}

const refusal = { name: 'TreeError', message: 'this login has ended: log in again' };

test('nothing is opened, renamed or removed for a credential that has ended', async (t) => {
	const { tree, done, end } = openWatched();
	end();
	await t.throwsAsync(tree.open('/tokenize/SIMPLECSV/may.csv', WRITE), refusal);
	await t.throwsAsync(tree.rename('/a', '/b', false), refusal);
	await t.throwsAsync(tree.remove('/a'), refusal);
	t.deepEqual(done, []);
});

test('an upload whose credential ended is paused at its CLOSE, not accepted', async (t) => {
	const { tree, done, end } = openWatched();
	const file = await tree.open('/tokenize/SIMPLECSV/may.csv', WRITE);
	end();
	await t.throwsAsync(file.close(), refusal);
	t.deepEqual(done, ['abandon']);
});

test('a file with card numbers is not read on, and its handle can still be closed', async (t) => {
	const { tree, done, end } = openWatched();
	const file = await tree.open('/detokenized/SIMPLECSV/may.csv', READ);
	t.is((await file.read(0, 1)).toString(), 'x');
	end();
	await t.throwsAsync(file.read(0, 1), refusal);
	await file.close();
	await tree.close();
	t.deepEqual(done, ['close', 'release', 'end']);
});
