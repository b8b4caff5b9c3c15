import type { Clock } from '../../../base/clock.ts';
import { Turns } from '../../../base/threads/turns.ts';
import { type Tree, TreeError } from '../../../work/folders/tree.ts';
import {
	encodeAttributes,
	encodeContent,
	encodeHandle,
	encodeLimits,
	encodeNameEntry,
	encodeNames,
	encodeSpace,
	encodeStatus,
	type Reply,
} from '../protocol/encoder.ts';
import { statusCode } from '../protocol/packet.ts';
import type { Request } from '../protocol/request.ts';
import type { HandleTable, OpenHandle } from './handle-table.ts';
import { SessionEnded } from './handle-turns.ts';
import { loggable, type SftpLogger } from './loggable.ts';
import { OpenDirectory } from './open-directory.ts';
import { OpenFile } from './open-file.ts';

export interface OperationsOptions {
	readonly tree: Tree;
	readonly handles: HandleTable;
	readonly userName: string;
	readonly maxHandles: number;
	readonly clock: Clock;
	readonly id: string;
	readonly logger: SftpLogger;
	/** Returns the reason why no file or folder may be opened any more, or null if they may. */
	readonly findRefusal: () => string | null;
}

type RequestOf<Kind extends Request['kind']> = Extract<Request, { kind: Kind }>;

/** Carries out each request on the tree. The caller turns errors into replies. */
export class Operations {
	readonly #options: OperationsOptions;
	/**
	 * Operations on names, such as OPEN and RENAME, run one after the other, as in OpenSSH's server. Clients rely on
	 * this: they send a CLOSE and then a RENAME without waiting for the first reply.
	 */
	readonly #nameTurns = new Turns();
	#ended = false;

	constructor(options: OperationsOptions) {
		this.#options = options;
	}

	/** Carries out a request. It is called in the order of the requests, and the promise resolves with the reply. */
	async perform(request: Request): Promise<Reply> {
		const { handles, tree } = this.#options;
		const { id } = request;
		switch (request.kind) {
			case 'read':
				return this.#read(request);
			case 'write':
				await handles.getFile(request.handle).write(request.offset, request.bytes);
				return ok(id);
			case 'open':
				return this.#open(request);
			case 'close':
				return this.#close(request);
			case 'handle-attributes':
				return encodeAttributes(id, await handles.getFile(request.handle).attributes());
			case 'sync':
				await handles.getFile(request.handle).sync();
				return ok(id);
			case 'open-directory':
				return this.#openDirectory(request);
			case 'read-directory': {
				const entries = await handles.getDirectory(request.handle).next();
				return entries.length === 0 ? encodeStatus(id, statusCode.eof, 'no more names') : encodeNames(id, entries);
			}
			case 'attributes':
				return encodeAttributes(id, await this.#inTurn(() => tree.attributes(request.path)));
			case 'remove':
				await this.#inTurn(() => tree.remove(request.path));
				return ok(id);
			case 'make-directory':
				await this.#inTurn(() => tree.makeDirectory(request.path));
				return ok(id);
			case 'remove-directory':
				await this.#inTurn(() => tree.removeDirectory(request.path));
				return ok(id);
			case 'rename':
				await this.#inTurn(() => tree.rename(request.from, request.to, request.overwrite));
				return ok(id);
			case 'space':
				return encodeSpace(id, await this.#inTurn(() => tree.space()));
			case 'real-path':
				return encodeNames(id, [encodeNameEntry(request.path, request.path, null)]);
			case 'limits':
				return encodeLimits(id, this.#options.maxHandles);
			case 'set-attributes':
				await this.#inTurn(() => setAttributes(tree, request));
				return ok(id);
			case 'set-handle-attributes':
				if (request.size === null) handles.requireOpen(request.handle);
				else await handles.getFile(request.handle).truncate(request.size);
				return ok(id);
			case 'unsupported':
				return encodeStatus(id, statusCode.unsupported, 'not supported');
		}
	}

	/**
	 * Releases every handle that is still open when the session ends. CLOSEs that were already received are carried out,
	 * because the client has sent those files completely.
	 */
	async end(): Promise<void> {
		this.#ended = true;
		await Promise.allSettled(this.#options.handles.takeAll().map((handle) => this.#abandon(handle)));
		await this.#nameTurns.ended;
	}

	async #read({ id, handle, offset, length }: RequestOf<'read'>): Promise<Reply> {
		const bytes = await this.#options.handles.getFile(handle).read(offset, length);
		return bytes.length === 0 ? encodeStatus(id, statusCode.eof, 'end of file') : encodeContent(id, bytes);
	}

	async #open({ id, path, mode }: RequestOf<'open'>): Promise<Reply> {
		const { tree, clock } = this.#options;
		return this.#openHandle(id, async () => {
			const openedAtMs = clock.now().getTime();
			return new OpenFile({ path, mode, openedAtMs, file: await tree.open(path, mode) });
		});
	}

	async #openDirectory({ id, path }: RequestOf<'open-directory'>): Promise<Reply> {
		const { tree, clock, userName } = this.#options;
		return this.#openHandle(id, async () => {
			const { kind } = await tree.attributes(path);
			if (kind !== 'directory') throw new TreeError('failure', 'not a folder');
			return new OpenDirectory({ path, pages: tree.list(path), owner: userName, now: () => clock.now() });
		});
	}

	async #openHandle(id: number, open: () => Promise<OpenHandle>): Promise<Reply> {
		const { handles } = this.#options;
		const refusal = this.#options.findRefusal();
		if (refusal !== null) throw new TreeError('failure', refusal);
		handles.reserve();
		try {
			const number = await this.#inTurn(async () => {
				const handle = await open();
				if (!this.#ended) return handles.add(handle);
				await this.#abandon(handle);
				throw new SessionEnded('session ended');
			});
			return encodeHandle(id, number);
		} finally {
			handles.unreserve();
		}
	}

	async #close({ id, handle: number }: RequestOf<'close'>): Promise<Reply> {
		const { handles } = this.#options;
		const handle = handles.take(number);
		try {
			// The CLOSE waits for the operations on names that were requested before it, and is carried out even if the
			// session ends meanwhile.
			await this.#nameTurns.run(() => handle.close());
			this.#log('info', handle, 'sftp file closed');
			return ok(id);
		} catch (error) {
			this.#log('warn', handle, 'sftp file refused at close');
			throw error;
		} finally {
			handles.unreserve();
		}
	}

	async #abandon(handle: OpenHandle): Promise<void> {
		const { id: session, logger } = this.#options;
		await handle.abandon().catch((err) => {
			logger.error({ session, path: loggable(handle.path), err }, 'sftp file not released');
		});
		this.#log('warn', handle, 'sftp file left open by its client');
	}

	/** Logs what became of a file, and how much of it was transferred; nothing for a folder. */
	#log(level: 'info' | 'warn', file: OpenHandle, message: string): void {
		if (!(file instanceof OpenFile)) return;
		const { id: session, logger, clock } = this.#options;
		const { bytesRead, bytesWritten, openedAtMs } = file;
		const ms = clock.now().getTime() - openedAtMs;
		logger[level]({ session, path: loggable(file.path), bytesRead, bytesWritten, ms }, message);
	}

	#inTurn<Result>(operation: () => Promise<Result>): Promise<Result> {
		return this.#nameTurns.run(async () => {
			if (this.#ended) throw new SessionEnded('session ended');
			return operation();
		});
	}
}

/** Sets the size of a file, if the request has one; what else it sets is not kept, but the name must be there. */
async function setAttributes(tree: Tree, { path, size }: RequestOf<'set-attributes'>): Promise<void> {
	if (size === null) await tree.attributes(path);
	else await tree.truncate(path, size);
}

function ok(id: number): Reply {
	return encodeStatus(id, statusCode.ok, 'ok');
}
