// The splice engine: one pass over one file, for every format and in both directions. It reads, asks the scanner where
// cards stand, lets the pass decide what replaces them, and copies every other byte as it came.

import { type Direction, FileError, Findings, type Format } from './format.ts';
import { OtherNumbers } from './other-numbers.ts';
import type { Pass } from './pass.ts';
import type { Progress, Summary } from './report.ts';
import { Edits } from './splice.ts';
import { DEFAULT_LIMITS, Window, type WindowLimits } from './window.ts';

/**
 * Where output goes. The promise holds the source back; once it settles the sink is done with the bytes, for the engine
 * uses their buffer again.
 */
export interface Sink {
	write(bytes: Buffer): Promise<void>;
}

export interface TransferRequest {
	readonly format: Format;
	/** Options of the format, checked. */
	readonly options: unknown;
	readonly direction: Direction;
	readonly source: AsyncIterable<Uint8Array>;
	readonly sink: Sink;
	readonly pass: Pass;
	readonly limits?: WindowLimits;
	onProgress?(progress: Progress): void;
}

/**
 * Runs a file through. Memory does not grow with it: at most one unsettled record, a window and two outputs.
 * @throws FileError when the file is not of the format, with its position; what was written so far is then worthless.
 */
export async function transferFile(request: TransferRequest): Promise<Summary> {
	const { format, pass, sink, direction } = request;
	const scanner = format.scanner(request.options, direction);
	const window = new Window(request.source, request.limits ?? DEFAULT_LIMITS);
	const findings = new Findings();
	const edits = new Edits();
	const outputs = new OutputBuffers();
	const others = direction === 'tokenize' ? new OtherNumbers() : null;
	const { summary } = pass;
	let writing: Promise<void> = Promise.resolve();
	try {
		while (!window.isLast || window.start < window.end || summary.bytesRead === 0) {
			await window.fill();
			findings.length = 0;
			edits.clear();
			const from = window.start;
			const settled = scanner.scan(window.bytes, from, window.end, window.isLast, findings);
			if (settled < from || settled > window.end || (window.isLast && settled !== window.end)) {
				throw new Error(`internal error: ${format.filter} settled ${settled} of ${from} to ${window.end}`);
			}
			if (settled === from && !window.isLast) continue;
			await pass.exchange(window.bytes, findings, window.base, edits);
			if (others) countOthers(others, window.bytes, findings, from, settled, !window.isLast);
			const output = outputs.next(edits.outputLength(from, settled));
			edits.apply(window.bytes, from, settled, output);
			window.consume(settled);
			summary.bytesRead = window.position;
			summary.bytesWritten += output.length;
			// Splicing the next window and writing this one overlap.
			await writing;
			writing = output.length > 0 ? sink.write(output) : Promise.resolve();
			// An error must not go unhandled while the next window is on its way; it is thrown by the await above.
			writing.catch(() => {});
			request.onProgress?.(summary);
			if (window.isLast) break;
		}
		await writing;
		await pass.finish();
		if (others) summary.otherNumbers = others.count;
		summary.notices = [...findings.notices];
		return summary;
	} catch (error) {
		throw error instanceof FileError ? error.rebased(window.base) : error;
	} finally {
		edits.wipe();
		pass.wipe();
		await writing.catch(() => {});
		outputs.wipe();
		await window.close();
	}
}

/** Two buffers in turn: one is being written while the next is filled, so that a large file leaves no garbage behind. */
class OutputBuffers {
	private readonly buffers: Buffer[] = [Buffer.alloc(0), Buffer.alloc(0)];
	private turn = 0;

	next(length: number): Buffer {
		this.turn = 1 - this.turn;
		if (this.buffers[this.turn].length < length) this.buffers[this.turn] = Buffer.allocUnsafeSlow(length * 2);
		return this.buffers[this.turn].subarray(0, length);
	}

	wipe(): void {
		for (const buffer of this.buffers) buffer.fill(0);
	}
}

function countOthers(
	others: OtherNumbers,
	bytes: Buffer,
	findings: Findings,
	from: number,
	to: number,
	isCut: boolean,
): void {
	let at = from;
	for (let i = 0; i < findings.length; i++) {
		const { numberStart, numberEnd } = findings.items[i];
		if (numberStart > at) others.scan(bytes, at, numberStart, false);
		at = Math.max(at, numberEnd);
	}
	others.scan(bytes, at, to, isCut);
}
