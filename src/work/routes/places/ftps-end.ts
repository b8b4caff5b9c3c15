// The end of a route at a partner over FTPS.

import { posix } from 'node:path';
import { ServiceError } from '../../../base/errors.ts';
import type { FtpsSession } from '../../../base/outbound/ftps-session.ts';
import { type EndFacts, firstFreeName, type Source, type Target, type TargetFile, type TargetNames } from './place.ts';

export function ftpsEnd(session: FtpsSession, home: string, facts: EndFacts): Source & Target {
	const at = (...parts: readonly string[]) => posix.join(home || '.', ...parts);
	return {
		facts: { ...facts, certificate: session.certificate },
		get isAlive() {
			return session.isAlive;
		},
		async *list() {
			yield await session.list(at());
		},
		read: (name) => session.read(at(name)),
		remove: (name) => session.remove(at(name)),
		async move(name, folder) {
			await session.makeFolder(at(folder));
			const isTaken = async (free: string) => (await session.findSize(at(folder, free))) !== undefined;
			const free = await firstFreeName(posix.basename(name), isTaken);
			await session.rename(at(name), at(folder, free));
			return posix.join(folder, free);
		},
		findSize: (folder, name) => session.findSize(at(folder, name)),
		async isNamed({ folder, name, temporaryName }, size) {
			const isThere = (await session.findSize(at(folder, name))) === size;
			return isThere && (name === temporaryName || (await session.findSize(at(folder, temporaryName))) === undefined);
		},
		async begin(names) {
			await session.makeFolder(at(names.folder));
			return beginFile(session, at(names.folder), names);
		},
		clear: ({ folder, temporaryName }) => session.remove(at(folder, temporaryName)),
		async writeShort(folder, name, content) {
			const { pipe, done } = session.write(at(folder, name));
			pipe.end(content);
			await done;
		},
		close: () => session.end(),
	};
}

function beginFile(session: FtpsSession, folder: string, { name, temporaryName }: TargetNames): TargetFile {
	const [temporary, final] = [posix.join(folder, temporaryName), posix.join(folder, name)];
	const { pipe, done } = session.write(temporary);
	let written = 0;
	return {
		async write(bytes) {
			written += bytes.length;
			// The bytes are copied, because the caller uses its buffer again before they are sent.
			if (!pipe.write(Buffer.from(bytes)))
				await Promise.race([new Promise((resolve) => pipe.once('drain', resolve)), done]);
		},
		async publish(beforeNaming) {
			pipe.end();
			await done;
			if ((await session.findSize(temporary)) !== written) {
				throw new ServiceError('target-unreachable', {
					field: 'fileName',
					problem: 'the partner has not stored the whole file',
				});
			}
			await beforeNaming();
			if (temporary !== final) await session.rename(temporary, final);
		},
		abandon(reason) {
			// Bytes that are on the way cannot be taken back, so an upload that is not over ends the connection.
			if (!pipe.writableEnded) session.end();
			pipe.destroy(reason instanceof Error ? reason : undefined);
		},
	};
}
