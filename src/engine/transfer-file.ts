// Runs the splice engine: one pass over one file, for every format and in both directions. It reads the file, lets the
// scanner find cards and the pass decide what replaces them, and copies every other byte unchanged.

import { giveBack } from '../base/threads/buffer-memory.ts';
import type { Slices } from '../base/threads/slices.ts';
import type { TokenCipher } from '../vault/tokens/token.ts';
import { type Direction, FileError, Findings, type Format, type Scanner } from './format.ts';
import { OtherFindings } from './others/other-findings.ts';
import type { Rejections } from './rejections.ts';
import type { Progress, Summary } from './report.ts';
import { Edits } from './splice.ts';
import { DEFAULT_LIMITS, Window, type WindowLimits } from './window.ts';

/** A tokenizing or detokenizing pass over one file. */
export interface Pass {
	/**
	 * Decides what replaces each finding of a window and adds the replacements to `edits`. `base` is the offset in the
	 * file of `bytes[0]`.
	 */
	exchange(bytes: Buffer, findings: Findings, base: number, edits: Edits): Promise<void>;
	/**
	 * Judges the file as a whole and adds the notices about it. It is called once after the last window.
	 * @throws FileError if the file is refused
	 */
	judgeFile?(scanner: Scanner): void;
	/**
	 * Ends the pass. It is called once, after the file was judged. When it resolves, every card whose token is in the
	 * output is durable.
	 */
	finish(): Promise<void>;
	/** Makes everything decided so far durable, so that a later failure of the pass does not undo it. */
	settle(): Promise<void>;
	/** Wipes clear digits from memory. It is always called at the end. */
	wipe(): void;
	readonly summary: Summary;
	/**
	 * Collects the faults for which the folder rejects this file; `finish` throws if there are any. A pass that never
	 * rejects a file leaves it out.
	 */
	readonly rejections?: Rejections;
}

/**
 * The receiver of the output. The engine waits for the promise of one `write` before it calls the next. Once the
 * promise resolves, the sink must no longer use the bytes, because the engine reuses their buffer.
 */
export interface Sink {
	write(bytes: Buffer): Promise<void>;
}

export interface TransferRequest {
	readonly format: Format;
	/** The options of the file's own format, already checked. */
	readonly options: unknown;
	readonly direction: Direction;
	readonly source: AsyncIterable<Uint8Array>;
	readonly sink: Sink;
	readonly pass: Pass;
	/** The cipher that recognises our tokens among other hexadecimal digits, without the database. */
	readonly tokens: TokenCipher;
	readonly limits?: WindowLimits;
	/** Given if the thread has other work to do; that work then runs between two windows of the file. */
	readonly slices?: Slices;
	onProgress?(progress: Progress): void;
}

const EMPTY_NOTICE = 'The file is empty';

/**
 * Processes a file. However large the file is, memory holds at most one incomplete record, a window and two outputs.
 * @throws FileError with a position in the file if the file is not of the format; the output written so far must then
 * not be used.
 */
export async function transferFile(request: TransferRequest): Promise<Summary> {
	const { format, pass, sink, direction } = request;
	const scanner = format.scanner(request.options, direction);
	const window = new Window(request.source, request.limits ?? DEFAULT_LIMITS);
	const findings = new Findings();
	const edits = new Edits();
	const outputs = new OutputBuffers();
	const others = new OtherFindings(format, scanner, direction, request.tokens);
	const { summary } = pass;
	/**
	 * The scanner has finished this many bytes of the window, but they are held back, because a number in them may
	 * continue after them.
	 */
	let heldBytes = 0;
	let writing: Promise<void> = Promise.resolve();
	try {
		while (!window.isLast || window.start < window.end || summary.bytesRead === 0) {
			await request.slices?.giveWay();
			await window.fill();
			if (window.isLast && window.position === 0 && window.end === 0) break;
			findings.length = 0;
			edits.clear();
			const from = window.start + heldBytes;
			await scanner.prepare?.(window.bytes, from, window.end, window.isLast);
			const settled = scanner.scan(window.bytes, from, window.end, window.isLast, findings);
			if (settled < from || settled > window.end || (window.isLast && settled !== window.end)) {
				throw new Error(`internal error: ${format.filter} settled ${settled} of ${from} to ${window.end}`);
			}
			if (settled === from && !window.isLast) continue;
			const decided = others.add(
				window.bytes,
				findings,
				{ from: window.start, scanFrom: from, settled },
				window.isLast,
			);
			heldBytes = settled - decided;
			await request.slices?.giveWay();
			await pass.exchange(window.bytes.subarray(0, window.end), findings, window.base, edits);
			const output = outputs.next(edits.outputLength(window.start, decided));
			edits.apply(window.bytes, window.start, decided, output);
			window.consume(decided);
			summary.bytesRead = window.position;
			summary.bytesWritten += output.length;
			// Each output is written while the next window is processed. Outputs must not overtake each other, so the
			// previous one must be complete before this one starts.
			await writing;
			writing = output.length > 0 ? sink.write(output) : Promise.resolve();
			// If this write fails while the next window is processed, the error must not count as an unhandled rejection.
			// `await writing` throws it later.
			writing.catch(() => {});
			request.onProgress?.(summary);
			if (window.isLast) break;
		}
		await writing;
		if (summary.bytesRead > 0) pass.judgeFile?.(scanner);
		await pass.finish();
		summary.notices = [...(summary.bytesRead === 0 ? [EMPTY_NOTICE] : []), ...summary.notices, ...findings.notices];
		return summary;
	} catch (error) {
		throw error instanceof FileError ? error.rebased(window.base) : error;
	} finally {
		scanner.close?.();
		edits.wipe();
		others.wipe();
		pass.wipe();
		await writing.catch(() => {});
		outputs.wipe();
		await window.close();
	}
}

/**
 * Provides two buffers in turn: one is written while the other is filled. With a new buffer for each output, a large
 * file would leave much garbage.
 */
class OutputBuffers {
	readonly #buffers: Buffer[] = [Buffer.alloc(0), Buffer.alloc(0)];
	#turn = 0;

	next(length: number): Buffer {
		this.#turn = 1 - this.#turn;
		let buffer = this.#buffers[this.#turn];
		if (buffer.length < length) {
			giveBack(buffer.fill(0));
			buffer = Buffer.allocUnsafeSlow(length * 2);
			this.#buffers[this.#turn] = buffer;
		}
		return buffer.subarray(0, length);
	}

	wipe(): void {
		for (const buffer of this.#buffers) giveBack(buffer.fill(0));
	}
}
