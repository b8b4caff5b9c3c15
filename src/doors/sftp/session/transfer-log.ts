import type { Clock } from '../../../base/clock.ts';
import { loggable, type SftpLogger } from './loggable.ts';
import type { OpenFile } from './open-file.ts';

export class TransferLog {
	readonly #logger: SftpLogger;
	readonly #sessionId: string;
	readonly #clock: Clock;

	constructor(logger: SftpLogger, sessionId: string, clock: Clock) {
		this.#logger = logger;
		this.#sessionId = sessionId;
		this.#clock = clock;
	}

	closed(file: OpenFile): void {
		this.#logger.info(this.#fields(file), 'sftp file closed');
	}

	failed(file: OpenFile): void {
		this.#logger.warn(this.#fields(file), 'sftp file refused at close');
	}

	abandoned(file: OpenFile): void {
		this.#logger.warn(this.#fields(file), 'sftp file left open by its client');
	}

	abandonFailed(path: string, error: unknown): void {
		this.#logger.error({ session: this.#sessionId, path: loggable(path), err: error }, 'sftp file not released');
	}

	#fields(file: OpenFile): object {
		return {
			session: this.#sessionId,
			path: loggable(file.path),
			bytesRead: file.bytesRead,
			bytesWritten: file.bytesWritten,
			ms: this.#clock.now().getTime() - file.openedAtMs,
		};
	}
}
