// Begins and ends the process in which the plugin of a format runs (decision 20). When it has begun, the kernel takes
// from it whatever a process needs to reach something: it may have no further file, connection, process or memory, and no
// program in it can take that back. Only then it gets the plugin.

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Direction } from '../../src/engine/format.ts';

const INSIDE = fileURLToPath(new URL('./inside.mjs', import.meta.url));

/** These limits of Node hold from the start. What they leave open, above all connections, the kernel closes. */
const NODE = [
	...['--permission', '--disallow-code-generation-from-strings', '--disable-sigusr1'],
	...['--experimental-vm-modules', '--no-warnings', '--max-old-space-size=128', '--max-semi-space-size=8'],
];
/** No further descriptor, no file, no process, no dump, and this much memory. */
const KERNEL = ['--nofile=0:0', '--fsize=0:0', '--nproc=0:0', '--core=0:0', `--data=${1024 * 1024 * 1024}`];

/** How long a plugin may take. */
export interface Patience {
	/** Until the process has begun and has read the plugin. */
	readonly startMs: number;
	/** For the positions in one window. */
	readonly answerMs: number;
}

export const PATIENCE: Patience = { startMs: 30_000, answerMs: 5_000 };

const KIND = { tokenize: 1, detokenize: 2, window: 3, lastWindow: 4 } as const;
const LENGTH_BYTES = 4;
const MAX_DESCRIPTION_BYTES = 32_768;
/** Sixteen numbers stand for a card, and no card is shorter than this many bytes. */
const ANSWER_BYTES_PER_BYTE = 8;

/**
 * This error means that a plugin has not answered as it should; its message says in what way. The message holds no number that
 * the plugin has chosen, because it could choose the digits of a card, and errors reach logs. `positions` has such numbers,
 * for authors who try a plugin with samples.
 */
export class PluginFailure extends Error {
	override readonly name = 'PluginFailure';
	readonly positions: string;
	constructor(message: string, positions = '') {
		super(message);
		this.positions = positions;
	}
}

interface Waiting {
	readonly mostBytes: number;
	resolve(answer: Buffer): void;
	reject(error: Error): void;
	readonly timer: NodeJS.Timeout;
}

/** One process with one plugin, for one file: nothing that a plugin has seen of a file is there for the next one. */
export class PluginProcess {
	readonly #child: ChildProcess;
	readonly #patience: Patience;
	#waiting: Waiting | undefined;
	#received: Buffer[] = [];
	#receivedBytes = 0;
	#ended: Error | undefined;
	/** How many bytes the process has written where nobody reads them. */
	droppedBytes = 0;

	/** `program` is what runs the plugin, which tests replace by one that does what no plugin should be able to. */
	constructor(patience = PATIENCE, program = INSIDE) {
		this.#patience = patience;
		this.#child = spawn(process.execPath, [...NODE, `--allow-fs-read=${program}`, program], {
			cwd: '/',
			env: {},
			stdio: ['pipe', 'pipe', 'pipe'],
		});
		const { stdin, stdout, stderr } = this.#child;
		stdout?.on('data', (bytes: Buffer) => this.#take(bytes));
		stderr?.on('data', (bytes: Buffer) => {
			this.droppedBytes += bytes.length;
		});
		// A write to a process that has ended fails; `close` says so as well.
		stdin?.on('error', () => {});
		this.#child.once('error', (error) => this.#end(error));
		// With `exit`, an answer might still be on its way.
		this.#child.once('close', () => this.#end(new PluginFailure('its process ended')));
	}

	/**
	 * Takes everything from the process and gives it the plugin. Returns what the plugin says of itself.
	 * @throws PluginFailure if the process could not be confined or ended, and Error if it could not be started
	 */
	async begin(source: string, direction: Direction): Promise<string> {
		const { startMs } = this.#patience;
		await this.#answer(0, startMs);
		await this.#confine();
		this.#write(Buffer.from(source), KIND[direction]);
		return (await this.#answer(MAX_DESCRIPTION_BYTES, startMs)).toString();
	}

	/**
	 * Asks for the positions in a piece of the file.
	 * @throws PluginFailure if there is no answer in time
	 */
	async ask(bytes: Buffer, isLast: boolean): Promise<Buffer> {
		this.#write(bytes, isLast ? KIND.lastWindow : KIND.window);
		return this.#answer(MAX_DESCRIPTION_BYTES + bytes.length * ANSWER_BYTES_PER_BYTE, this.#patience.answerMs);
	}

	close(): void {
		this.#end(new PluginFailure('it was closed'));
	}

	async #confine(): Promise<void> {
		const pid = this.#child.pid;
		if (pid === undefined) throw this.#ended ?? new Error('the process of a plugin could not be started');
		const limiter = spawn('prlimit', ['--pid', String(pid), ...KERNEL], { stdio: 'ignore' });
		const code = await new Promise<number | null | Error>((resolve) => {
			limiter.once('error', resolve);
			limiter.once('exit', resolve);
		});
		if (code === 0) return;
		const error = new PluginFailure(
			'it needs the program prlimit (package util-linux, on Linux), and a vault that may limit the processes ' +
				`that it starts: ${code instanceof Error ? code.message : `prlimit ended with ${code}`}`,
		);
		this.#end(error);
		throw error;
	}

	#write(bytes: Buffer, kind: number): void {
		const header = Buffer.alloc(8);
		header.writeUInt32LE(bytes.length, 0);
		header.writeUInt32LE(kind, 4);
		this.#child.stdin?.write(header);
		this.#child.stdin?.write(bytes);
	}

	async #answer(mostBytes: number, withinMs: number): Promise<Buffer> {
		if (this.#ended) throw this.#ended;
		return new Promise<Buffer>((resolve, reject) => {
			const late = new PluginFailure(`it gave no answer within ${withinMs / 1000} s`);
			const timer = setTimeout(() => this.#end(late), withinMs);
			this.#waiting = { mostBytes, resolve, reject, timer };
			this.#take();
		});
	}

	/** Takes what the process has written, which is worth something only as the one answer that is waited for. */
	#take(bytes?: Buffer): void {
		if (bytes) this.#received.push(bytes);
		this.#receivedBytes += bytes?.length ?? 0;
		const waiting = this.#waiting;
		if (!waiting) {
			if (bytes && !this.#ended) this.#end(new PluginFailure('it answered without being asked'));
			return;
		}
		if (this.#receivedBytes < LENGTH_BYTES) return;
		const received = this.#received.length === 1 ? this.#received[0] : Buffer.concat(this.#received);
		this.#received = [received];
		const length = received.readUInt32LE(0);
		if (length > waiting.mostBytes || received.length > LENGTH_BYTES + length) {
			this.#end(new PluginFailure('its answer is too long'));
			return;
		}
		if (received.length < LENGTH_BYTES + length) return;
		this.#received = [];
		this.#receivedBytes = 0;
		this.#waiting = undefined;
		clearTimeout(waiting.timer);
		waiting.resolve(received.subarray(LENGTH_BYTES));
	}

	#end(why: Error): void {
		this.#ended ??= why;
		const waiting = this.#waiting;
		this.#waiting = undefined;
		if (waiting) {
			clearTimeout(waiting.timer);
			waiting.reject(this.#ended);
		}
		const { exitCode, signalCode } = this.#child;
		if (exitCode === null && signalCode === null) this.#child.kill('SIGKILL');
	}
}
