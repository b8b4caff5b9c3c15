// Talks to a client that runs as a program as long as its session lasts, and is told what to do over its standard input.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { patient } from '../patience.ts';

/** Is thrown when a client could not do what it was told. The message is what the client said. */
export class ClientRefused extends Error {}

export interface Program {
	readonly program: string;
	readonly args: readonly string[];
	readonly env?: Readonly<Record<string, string>>;
	readonly cwd?: string;
}

const ANSWER_WITHIN_MS = patient(30_000);
const END_WITHIN_MS = 1_000;

/** Asks a program one question at a time. An answer is everything that it writes until `isWhole`, or until it ends. */
export class Conversation {
	readonly #child: ChildProcess;
	readonly #isWhole: (said: string) => boolean;
	#said = '';
	#hasEnded = false;
	#onChange = () => {};

	constructor({ program, args, env, cwd }: Program, isWhole: (said: string) => boolean) {
		this.#isWhole = isWhole;
		// Standard output and standard error share one pipe, so that an error arrives before the end of the answer.
		const command = ['-c', 'exec "$0" "$@" 2>&1', program, ...args];
		this.#child = spawn('sh', command, { cwd, env: { ...process.env, SSH_AUTH_SOCK: '', ...env } });
		const changed = (text = '') => {
			this.#said += text;
			this.#onChange();
		};
		this.#child.stdout!.setEncoding('utf8').on('data', changed);
		this.#child.stdin!.on('error', () => {});
		this.#child.once('close', () => {
			this.#hasEnded = true;
			changed();
		});
	}

	get hasEnded(): boolean {
		return this.#hasEnded;
	}

	/** Waits for an answer. @throws Error when no whole answer comes in time */
	async answer(): Promise<string> {
		if (!this.#hasEnded && !this.#isWhole(this.#said)) await this.#change();
		const said = this.#said;
		this.#said = '';
		return said;
	}

	ask(question: string): Promise<string> {
		this.#said = '';
		this.#child.stdin!.write(`${question}\n`);
		return this.answer();
	}

	async end(): Promise<void> {
		if (this.#hasEnded) return;
		const closed = once(this.#child, 'close');
		// Most programs end with their input, and then put their things away.
		this.#child.stdin!.end();
		const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_WITHIN_MS);
		await closed;
		clearTimeout(timer);
	}

	#change(): Promise<void> {
		return new Promise((resolve, reject) => {
			const timer = setTimeout(() => reject(new Error(`no answer, only: ${this.#said}`)), ANSWER_WITHIN_MS);
			this.#onChange = () => {
				if (!this.#hasEnded && !this.#isWhole(this.#said)) return;
				clearTimeout(timer);
				this.#onChange = () => {};
				resolve();
			};
		});
	}
}
