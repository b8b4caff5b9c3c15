// The end of a route at a partner over sFTP.

import { posix } from 'node:path';
import { openDownload } from '../../../base/outbound/sftp/sftp-download.ts';
import {
	listFolder,
	makePartnerFolder,
	movePartnerFile,
	removePartnerFile,
	writePartnerFile,
} from '../../../base/outbound/sftp/sftp-folder.ts';
import type { SftpSession } from '../../../base/outbound/sftp/sftp-session.ts';
import { beginUpload } from '../../../base/outbound/sftp/sftp-upload.ts';
import { type EndFacts, firstFreeName, type Source, type Target } from './place.ts';

/** Returns the folder `path` of a partner, over an open session, as both ends of a route. */
export function sftpEnd(session: SftpSession, base: string, facts: EndFacts): Source & Target {
	const at = (...parts: readonly string[]) => posix.join(base || '.', ...parts);
	const sizeOf = async (folder: string, name: string) => (await session.findAttributes(at(folder, name)))?.size;
	return {
		facts: { ...facts, hostKey: session.hostKey },
		get isAlive() {
			return session.isAlive;
		},
		list: () => listFolder(session, base),
		async *read(name) {
			const folder = posix.dirname(at(name));
			yield* (await openDownload(session, folder, posix.basename(name))).read();
		},
		remove: (name) => removePartnerFile(session, at(name)),
		async move(name, folder) {
			await makePartnerFolder(session, at(folder));
			const isTaken = async (free: string) => (await session.findAttributes(at(folder, free))) !== undefined;
			const free = await firstFreeName(posix.basename(name), isTaken);
			await movePartnerFile(session, at(name), at(folder, free));
			return posix.join(folder, free);
		},
		findSize: (folder, name) => sizeOf(folder, name),
		async isNamed({ folder, name, temporaryName }, size) {
			const isThere = (await sizeOf(folder, name)) === size;
			return isThere && (name === temporaryName || (await sizeOf(folder, temporaryName)) === undefined);
		},
		clear: ({ folder, temporaryName }) => removePartnerFile(session, at(folder, temporaryName)),
		async begin({ folder, name, temporaryName, replaces }) {
			await makePartnerFolder(session, at(folder));
			return beginUpload(session, { folder: at(folder), fileName: name, temporaryName, replaces });
		},
		writeShort: (folder, name, content) => writePartnerFile(session, at(folder, name), content),
		close: () => session.end(),
	};
}
