// The root key in an HSM, a smart card or another token of PKCS#11. It wraps and unwraps there, and never leaves it.

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Settings } from '../../../settings/settings.ts';
import { type RootKey, RootKeyAwayError, RootKeyError } from '../../root-key.ts';
import { readSecretFile } from '../file.ts';
import { insist, LoginRefusedError } from '../insist.ts';
import { markedAs, unmarked } from '../wrapped-form.ts';

export interface TokenPlace {
	/** The library of the vendor, a path. */
	readonly library: string;
	readonly tokenLabel: string;
	readonly keyLabel: string;
}

export interface LibraryQuestion {
	readonly id: number;
	readonly operation: 'wrap' | 'unwrap';
	readonly place: TokenPlace;
	readonly pin: string;
	readonly bytes: Uint8Array;
}

/**
 * `away`: the token is not there or does not work at the moment. `login`: it does not take the PIN. `refused`: the key is not
 * there, may not be used, or is not the one that wrapped.
 */
export type LibraryFailure = 'away' | 'login' | 'refused';

export type LibraryAnswer =
	| { readonly id: number; readonly bytes: Uint8Array }
	| { readonly id: number; readonly failure: LibraryFailure; readonly why: string };

/** Opens the key that the settings name. `givenPin` takes the place of the file with the PIN. */
export function openPkcs11RootKey(
	{ library, tokenLabel, keyLabel, pinFile }: Settings['keys']['pkcs11'],
	givenPin?: string,
): RootKey {
	const description = `PKCS#11 key ${keyLabel} of token ${tokenLabel}`;
	const place = { library: library!, tokenLabel: tokenLabel!, keyLabel: keyLabel! };
	const process = new LibraryProcess(description);
	let refusedPin: string | undefined;
	const ask = (operation: LibraryQuestion['operation'], bytes: Buffer) =>
		insist(async () => {
			const pin = givenPin ?? readSecretFile(pinFile!, `file ${pinFile}`, 'the PIN').trim();
			// A token locks after some wrong PINs, so the same one is never tried twice.
			if (pin === refusedPin) throw new LoginRefusedError(`${description}: the token does not take the PIN`);
			const answer = await process.ask({ operation, place, pin, bytes });
			if (!('failure' in answer)) return Buffer.from(answer.bytes);
			const text = `${description}: ${answer.why}`;
			if (answer.failure === 'login') refusedPin = pin;
			if (answer.failure === 'login') throw new LoginRefusedError(text);
			throw answer.failure === 'refused' ? new RootKeyError(text) : new RootKeyAwayError(text);
		});
	return {
		description,
		wrap: async (plain) => markedAs('pkcs11', await ask('wrap', plain)),
		unwrap: async (wrapped) => ask('unwrap', unmarked('pkcs11', wrapped, description)),
		close: () => process.close(),
	};
}

const MAIN = fileURLToPath(new URL('./library-main.ts', import.meta.url));
/** One answer may take this long. The first one includes the start of the process and the login, over a network for some HSMs. */
const ANSWER_MS = 8_000;
/** A daemon asks every ten seconds, and its threads only once. */
const IDLE_MS = 60_000;

interface Asked {
	readonly child: ChildProcess;
	resolve(answer: LibraryAnswer): void;
	reject(error: Error): void;
	readonly timer: NodeJS.Timeout;
}

/**
 * Holds the process that loads the library of an HSM: begins it with the first question, begins another one after a crash, and
 * ends it when nobody asks for a while.
 */
class LibraryProcess {
	readonly #description: string;
	readonly #asked = new Map<number, Asked>();
	#child: ChildProcess | undefined;
	#idle: NodeJS.Timeout | undefined;
	#lastId = 0;
	#isClosed = false;

	constructor(description: string) {
		this.#description = description;
	}

	/**
	 * Asks once.
	 * @throws RootKeyAwayError if the process ends or does not answer in time
	 */
	async ask(question: Omit<LibraryQuestion, 'id'>): Promise<LibraryAnswer> {
		if (this.#isClosed) throw new RootKeyAwayError(`${this.#description}: it is closed`);
		clearTimeout(this.#idle);
		const id = ++this.#lastId;
		const child = (this.#child ??= this.#begin());
		try {
			return await new Promise<LibraryAnswer>((resolve, reject) => {
				// A call into a library cannot be interrupted, so the process is ended. The answer is no longer of use then.
				const timer = setTimeout(() => this.#end(child, `it gave no answer within ${ANSWER_MS / 1000} s`), ANSWER_MS);
				this.#asked.set(id, { child, resolve, reject, timer });
				child.send({ id, ...question }, (error) => error && this.#end(child, 'its process does not listen'));
			});
		} finally {
			this.#rest();
		}
	}

	close(): void {
		this.#isClosed = true;
		if (this.#child !== undefined) this.#end(this.#child, 'it was closed');
	}

	/**
	 * Begins the process. What it could dump when it crashes is a key, so it dumps nothing. Where a process may not change its
	 * limits, the service manager has set this one (deploy/systemd).
	 */
	#begin(): ChildProcess {
		const node = [process.execPath, '--disable-warning=ExperimentalWarning', MAIN];
		const [program, ...given] =
			process.platform === 'win32' ? node : ['/bin/sh', '-c', 'ulimit -c 0 || :; exec "$0" "$@"', ...node];
		const child = spawn(program, given, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], serialization: 'advanced' });
		child.on('message', (answer: LibraryAnswer) => {
			const asked = this.#take(answer.id);
			asked?.resolve(answer);
			// After a failure the process ends by itself, and may be gone before the next question.
			if ('failure' in answer && this.#child === child) this.#child = undefined;
		});
		child.once('error', () => this.#end(child, 'its process could not be started'));
		child.once('exit', (code, signal) => this.#end(child, `its library ended the process (${signal ?? code})`));
		// Neither the process nor its channel keeps a command or a daemon from ending.
		child.unref();
		child.channel?.unref();
		return child;
	}

	/** Ends a process, and rejects what it was asked. */
	#end(child: ChildProcess, why: string): void {
		if (this.#child === child) this.#child = undefined;
		for (const [id, asked] of [...this.#asked]) {
			if (asked.child === child) this.#take(id)?.reject(new RootKeyAwayError(`${this.#description}: ${why}`));
		}
		if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
	}

	#take(id: number): Asked | undefined {
		const asked = this.#asked.get(id);
		if (asked !== undefined) clearTimeout(asked.timer);
		this.#asked.delete(id);
		return asked;
	}

	#rest(): void {
		clearTimeout(this.#idle);
		if (this.#asked.size > 0) return;
		this.#idle = setTimeout(() => this.#child && this.#end(this.#child, 'nobody asked it'), IDLE_MS);
		this.#idle.unref();
	}
}
