// Lists, moves and removes files of a partner, and makes folders there.

import { posix } from 'node:path';
import type { FileEntryWithStats, Stats } from 'ssh2';
import { noneIf } from '../../errors.ts';
import { isEndOfFile, isNoSuchFile, isPermissionDenied, isRefusal, partnerFailure } from './sftp-failures.ts';
import type { SftpSession } from './sftp-session.ts';

export interface PartnerEntry {
	readonly name: string;
	readonly size: number;
	readonly modifiedAtMs: number;
}

/**
 * Yields the files of a folder as the partner sends them, some at a time, so that a folder of any length takes little
 * memory. Folders, links and devices are left out.
 * @throws ServiceError if there is no such folder, or it cannot be listed
 */
export async function* listFolder(session: SftpSession, folder: string): AsyncGenerator<PartnerEntry[]> {
	let handle: Buffer;
	try {
		handle = await session.request<Buffer>((sftp, done) => sftp.opendir(folder || '.', done));
	} catch (error) {
		throw refusal(error, isNoSuchFile(error) ? 'no such folder' : 'the folder cannot be listed');
	}
	try {
		for (;;) {
			const entries = await session.request<FileEntryWithStats[]>((sftp, done) => sftp.readdir(handle, done));
			yield entries.filter(({ attrs }) => isFile(attrs)).map(entryOf);
		}
	} catch (error) {
		if (!isEndOfFile(error)) throw refusal(error, 'the folder cannot be listed');
	} finally {
		if (session.isAlive) await session.request((sftp, done) => sftp.close(handle, done)).catch(() => {});
	}
}

/** Some servers do not state what an entry is; it then counts as a file, which reading it will show. */
function isFile({ mode }: Stats): boolean {
	const kind = (mode ?? 0) & 0o170000;
	return kind === 0 || kind === 0o100000;
}

function entryOf({ filename, attrs }: FileEntryWithStats): PartnerEntry {
	return { name: filename, size: attrs.size ?? 0, modifiedAtMs: (attrs.mtime ?? 0) * 1_000 };
}

/** Makes a folder and those above it, as far as they do not exist. */
export async function makePartnerFolder(session: SftpSession, folder: string): Promise<void> {
	if (folder === '' || folder === '.' || folder === '/') return;
	if ((await session.findAttributes(folder).catch(noneIf(isRefusal)))?.isDirectory()) return;
	await makePartnerFolder(session, posix.dirname(folder));
	try {
		await session.request((sftp, done) => sftp.mkdir(folder, done));
	} catch (error) {
		// Another session may have made the folder at the same moment.
		if ((await session.findAttributes(folder).catch(noneIf(isRefusal)))?.isDirectory()) return;
		throw refusal(error, 'the folder cannot be made');
	}
}

/** Removes a file; one that is not there counts as removed. */
export async function removePartnerFile(session: SftpSession, path: string): Promise<void> {
	try {
		await session.request((sftp, done) => sftp.unlink(path, done));
	} catch (error) {
		if (!isNoSuchFile(error)) throw refusal(error, 'the file cannot be removed');
	}
}

/** Moves a file to a name that is free. */
export async function movePartnerFile(session: SftpSession, from: string, to: string): Promise<void> {
	try {
		await session.request((sftp, done) => sftp.rename(from, to, done));
	} catch (error) {
		throw refusal(error, 'the file cannot be moved');
	}
}

/** Writes a short file in the place of any other. */
export async function writePartnerFile(session: SftpSession, path: string, content: Buffer): Promise<void> {
	let handle: Buffer | undefined;
	try {
		handle = await session.request<Buffer>((sftp, done) => sftp.open(path, 'w', { mode: 0o600 }, done));
		const opened = handle;
		if (content.length > 0) {
			await session.request((sftp, done) => sftp.write(opened, content, 0, content.length, 0, done));
		}
		await session.request((sftp, done) => sftp.close(opened, done));
	} catch (error) {
		throw refusal(error, 'the done-file cannot be written');
	}
}

function refusal(error: unknown, what: string): unknown {
	if (!isRefusal(error)) return error;
	return partnerFailure('path', isPermissionDenied(error) ? `${what}: permission denied` : what, error);
}
