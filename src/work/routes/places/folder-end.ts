// The end of a route in a folder of the server. The setting routes.folders says which folders may be used; a link that
// leads out of them is not followed.

import { constants, type Stats } from 'node:fs';
import { chmod, type FileHandle, link, lstat, mkdir, open, opendir, realpath, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from '../../../base/durable-files.ts';
import { badInput, ServiceError } from '../../../base/errors.ts';
import { told } from '../../../base/failures.ts';
import { isBelowOneOf } from '../document/read-place.ts';
import {
	firstFreeName,
	type Source,
	type SourceEntry,
	type Target,
	type TargetFile,
	type TargetNames,
} from './place.ts';

/**
 * What is delivered is for the group as well, because another program fetches it. The modes are set apart, as the umask of the
 * process leaves nothing to a group.
 */
const FILE_MODE = 0o640;
const FOLDER_MODE = 0o750;
const LIST_AT_ONCE = 500;
const READ_BYTES = 256 * 1024;

/**
 * Opens a folder of the server as both ends of a route.
 * @throws ServiceError if there is no such folder, or it is not below one of the allowed ones
 */
export async function openFolderEnd(
	folder: string,
	path: string,
	allowed: readonly string[],
): Promise<Source & Target> {
	const home = await realFolder(join(folder, path), allowed);
	const at = (...parts: readonly string[]) => join(home, ...parts);
	/** Makes a folder below the home, and checks that no link on the way leads out. */
	const make = async (name: string): Promise<string> => {
		await makeShared(at(name)).catch(failed('path', 'the folder cannot be made'));
		return realFolder(at(name), allowed);
	};
	return {
		facts: { folder: home },
		isAlive: true,
		list: () => listFiles(home),
		read: (name) => readFile(at(name)),
		remove: (name) => removeFile(at(name)),
		async move(name, target) {
			const within = await make(target);
			const free = await firstFreeName(name.split('/').at(-1)!, async (each) => exists(join(within, each)));
			await rename(at(name), join(within, free)).catch(failed('fileName', 'the file cannot be moved'));
			await syncFolder(within);
			return join(target, free);
		},
		findSize: async (target, name) => (await find(at(target, name)))?.size,
		async isNamed({ folder: target, name, temporaryName }, size) {
			const [final, temporary] = [await find(at(target, name)), await find(at(target, temporaryName))];
			// A file has both names for a moment, because a link, unlike a rename, never takes the place of another file.
			return final?.size === size && (temporary === undefined || temporary.ino === final.ino);
		},
		clear: ({ folder: target, temporaryName }) => removeFile(at(target, temporaryName)),
		async begin(names) {
			return beginFile(await make(names.folder), names);
		},
		async writeShort(target, name, content) {
			const within = await make(target);
			const handle = await open(join(within, name), 'w').catch(failed('path', 'the done-file cannot be written'));
			try {
				await handle.chmod(FILE_MODE);
				await handle.writeFile(content);
				await handle.sync();
			} finally {
				await handle.close();
			}
			await syncFolder(within);
		},
		close() {},
	};
}

/** Makes a folder with those above it that are missing. */
async function makeShared(path: string): Promise<void> {
	const first = await mkdir(path, { recursive: true });
	if (first === undefined) return;
	for (let made = path; made.length >= first.length; made = dirname(made)) await chmod(made, FOLDER_MODE);
}

async function realFolder(path: string, allowed: readonly string[]): Promise<string> {
	const real = await realpath(path).catch(failed('path', 'no such folder'));
	const roots = await Promise.all(allowed.map((each) => realpath(each).catch(() => each)));
	if (isBelowOneOf(real, roots)) return real;
	throw badInput('folder', 'is not below a folder of routes.folders', told('folder-not-allowed'));
}

async function* listFiles(home: string): AsyncGenerator<SourceEntry[]> {
	const folder = await opendir(home, { bufferSize: LIST_AT_ONCE }).catch(failed('path', 'the folder cannot be listed'));
	let names: string[] = [];
	const entries = async () =>
		(await Promise.all(names.map((name) => entryOf(home, name)))).filter((each) => each !== undefined);
	for await (const entry of folder) {
		// A link is no file: it might lead out of the folders that routes may use.
		if (entry.isFile()) names.push(entry.name);
		if (names.length < LIST_AT_ONCE) continue;
		yield await entries();
		names = [];
	}
	if (names.length > 0) yield await entries();
}

async function entryOf(home: string, name: string): Promise<SourceEntry | undefined> {
	const found = await lstat(join(home, name)).catch(unlessGone('a file cannot be looked at'));
	return found?.isFile() ? { name, size: found.size, modifiedAtMs: Math.floor(found.mtimeMs) } : undefined;
}

async function* readFile(path: string): AsyncGenerator<Buffer> {
	const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(
		failed('fileName', 'the file cannot be read'),
	);
	try {
		const before = await handle.stat();
		const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
		let position = 0;
		for (;;) {
			const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
			if (bytesRead === 0) break;
			position += bytesRead;
			yield buffer.subarray(0, bytesRead);
		}
		const after = await handle.stat();
		if (after.size !== position || after.mtimeMs !== before.mtimeMs) {
			throw new ServiceError('target-unreachable', { field: 'fileName', problem: 'changed while it was read' });
		}
	} finally {
		await handle.close();
	}
}

async function beginFile(folder: string, { name, temporaryName, replaces }: TargetNames): Promise<TargetFile> {
	const [temporary, final] = [join(folder, temporaryName), join(folder, name)];
	const isDirect = temporary === final;
	const flags = isDirect && replaces ? 'w' : 'wx';
	const handle: FileHandle = await open(temporary, flags).catch(failed('path', 'the file cannot be written'));
	await handle.chmod(FILE_MODE);
	let written = 0;
	return {
		async write(bytes) {
			await handle.writeFile(bytes);
			written += bytes.length;
		},
		async publish(beforeNaming) {
			try {
				await handle.sync();
				if ((await handle.stat()).size !== written) throw new Error('the file is not as long as what was written');
			} finally {
				await handle.close();
			}
			await beforeNaming();
			if (!isDirect) await giveName(temporary, final, replaces);
			await syncFolder(dirname(final));
		},
		abandon() {
			void handle.close().catch(() => {});
		},
	};
}

/** Gives a file its final name. A link fails if the name is taken, which a rename would not. */
async function giveName(temporary: string, final: string, replaces: boolean): Promise<void> {
	if (replaces) return rename(temporary, final);
	try {
		await link(temporary, final);
	} catch (cause) {
		if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
		throw new ServiceError('bad-input-data', {
			field: 'fileName',
			problem: 'the folder has a file of this name',
			told: told('name-taken'),
			cause,
		});
	}
	await unlink(temporary);
}

async function find(path: string): Promise<Stats | undefined> {
	return lstat(path).catch(unlessGone('the file cannot be looked at'));
}

async function removeFile(path: string): Promise<void> {
	await unlink(path).catch(unlessGone('the file cannot be removed'));
}

async function exists(path: string): Promise<boolean> {
	return lstat(path).then(
		() => true,
		() => false,
	);
}

/** Turns a failure of the file system into one that says what was tried, without a path of this machine. */
function failed(field: 'path' | 'fileName', problem: string) {
	return (cause: unknown): never => {
		const { code = '' } = cause as NodeJS.ErrnoException;
		throw new ServiceError('target-unreachable', { field, problem: `${problem} (${code})`, cause });
	};
}

function unlessGone(problem: string) {
	return (cause: unknown): undefined => {
		if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
		return failed('fileName', problem)(cause);
	};
}
