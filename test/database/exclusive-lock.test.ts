import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { LockedError, takeExclusiveLock } from '../../src/base/database/locks.ts';
import { openDatabase } from '../../src/base/database/open.ts';

function makeFolder(t: ExecutionContext): string {
	const folder = mkdtempSync(join(tmpdir(), 'tokendrop-test-'));
	t.teardown(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

test('a lock has one holder, and is free once that lets go', (t) => {
	const path = join(makeFolder(t), 'not-there-yet.lock');
	const held = takeExclusiveLock(path);
	t.throws(() => takeExclusiveLock(path), { instanceOf: LockedError, message: `${path} is held by another daemon` });
	held.close();
	takeExclusiveLock(path).close();
});

test('a file that cannot be locked is not said to be held: it is named, and so is the reason', (t) => {
	const folder = makeFolder(t);
	const spoilt = join(folder, 'spoilt.lock');
	writeFileSync(spoilt, 'what a disk fault left '.repeat(100));
	const isFolder = join(folder, 'folder.lock');
	mkdirSync(isFolder);
	const isBelowFile = join(spoilt, 'daemon.lock');
	for (const path of [spoilt, isFolder, isBelowFile]) {
		const error = t.throws(() => takeExclusiveLock(path));
		t.false(error instanceof LockedError, error?.message);
		t.true(error?.message.startsWith(`${path} cannot be locked: `), error?.message);
	}
});

test('a database that this process may not use is named', async (t) => {
	const file = join(makeFolder(t), 'file');
	writeFileSync(file, '');
	const path = join(file, 'tokendrop.sqlite');
	await t.throwsAsync(openDatabase({ url: `sqlite:${path}` }), {
		message: new RegExp(`^the database ${path} cannot be read and written by this process: E`),
	});
});
