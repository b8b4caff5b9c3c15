import assert from 'node:assert';
import type { Shape } from '../../src/base/card/shape.ts';
import {
	type Direction,
	FileError,
	type Finding,
	Findings,
	type Format,
	type Scanner,
} from '../../src/engine/format.ts';

export interface ScannedSpan {
	/** The position of the span, counted from the start of the file. */
	readonly offset: number;
	readonly length: number;
	/** The bytes read as Latin-1, in which escapes stay as they are. */
	readonly raw: string;
}

/** A finding as a plain object. Its offsets are counted from the start of the file, and empty spans are absent. */
export interface ScannedFinding {
	readonly record: number;
	readonly line: number;
	readonly number: ScannedSpan;
	readonly expiry: number;
	readonly cvv?: ScannedSpan;
	readonly type?: ScannedSpan;
	readonly name?: ScannedSpan;
	readonly reference?: ScannedSpan;
	readonly shape: Shape;
	/** The positions `sideStart` and `sideEnd` are present in the shape `columns` only. */
	readonly sideStart?: number;
	readonly sideEnd?: number;
	readonly isEscaped: boolean;
	readonly isCvvBare: boolean;
	/** Whether the CVV is only told. */
	readonly isCvvDoubtful?: true;
}

export interface ScanWay {
	readonly direction?: Direction;
	/**
	 * The sizes of the pieces in which the file arrives, taken in turn and from the start again. Without them it arrives in
	 * one piece.
	 */
	readonly windowSizes?: readonly number[];
	/** Whether the end of the file becomes known only after its last byte was scanned, as with a stream. */
	readonly endsLate?: boolean;
}

/**
 * Returns everything that a format's scanner finds in a file. It calls the scanner as `Scanner.scan` promises: the
 * unsettled rest is carried over, a window without progress grows, and each window lies at another place in memory amid
 * bytes that mean nothing. On the way it checks the promises of the contract.
 *
 * @throws FileError with its offset counted from the start of the file.
 */
export function scanAll<Options>(
	format: Format<Options>,
	options: Options,
	bytes: Buffer,
	{ direction = 'tokenize', windowSizes = [bytes.length], endsLate = false }: ScanWay = {},
): ScannedFinding[] {
	const scanner = format.scanner(options, direction);
	const results: ScannedFinding[] = [];
	let settled = 0;
	let arrived = 0;
	for (let turn = 0; arrived < bytes.length; turn++) {
		arrived = Math.min(bytes.length, arrived + Math.max(1, windowSizes[turn % windowSizes.length]));
		const isLast = arrived === bytes.length && !endsLate;
		settled = scanWindow(scanner, bytes, settled, arrived, isLast, results);
	}
	if (endsLate || bytes.length === 0) settled = scanWindow(scanner, bytes, settled, arrived, true, results);
	assert.equal(settled, bytes.length, 'the last window settles everything');
	return results;
}

const found = new Findings();

function scanWindow(
	scanner: Scanner,
	bytes: Buffer,
	settled: number,
	arrived: number,
	isLast: boolean,
	results: ScannedFinding[],
): number {
	// The window lies between nines, so that a scanner that reads beyond its bounds finds longer numbers.
	const margin = 1 + ((settled * 7 + arrived) % 13);
	const window = Buffer.alloc(margin + arrived - settled + margin, '9');
	bytes.copy(window, margin, settled, arrived);
	const to = window.length - margin;
	const base = settled - margin;
	found.truncate(0);
	const next = scan(scanner, window, margin, to, isLast, base);
	assert(next >= margin && next <= to, 'the settled offset lies in the window');
	for (let i = 0; i < found.length; i++) {
		if (found.items[i].isMasked) continue;
		const finding = plain(found.items[i], window, base, margin, next);
		const previous = results.at(-1)?.number.offset ?? 0;
		assert(previous <= finding.number.offset, 'findings come in the order of their numbers');
		results.push(finding);
	}
	return next + base;
}

function scan(scanner: Scanner, window: Buffer, from: number, to: number, isLast: boolean, base: number): number {
	try {
		return scanner.scan(window, from, to, isLast, found);
	} catch (error) {
		throw error instanceof FileError ? error.rebased(base) : error;
	}
}

function plain(finding: Finding, window: Buffer, base: number, from: number, settled: number): ScannedFinding {
	const span = (start: number, end: number): ScannedSpan => {
		assert(start >= from && start <= end && end <= settled, 'findings lie wholly before the settled offset');
		return { offset: start + base, length: end - start, raw: window.toString('latin1', start, end) };
	};
	const optional = (start: number, end: number) => (start === end ? undefined : span(start, end));
	const isColumns = finding.shape === 'columns';
	return withoutUndefined({
		record: finding.record,
		line: finding.line,
		number: span(finding.numberStart, finding.numberEnd),
		expiry: finding.expiry,
		cvv: optional(finding.cvvStart, finding.cvvEnd),
		type: optional(finding.typeStart, finding.typeEnd),
		name: optional(finding.nameStart, finding.nameEnd),
		reference: optional(finding.referenceStart, finding.referenceEnd),
		shape: finding.shape,
		sideStart: isColumns ? finding.sideStart + base : undefined,
		sideEnd: isColumns ? finding.sideEnd + base : undefined,
		isEscaped: finding.isEscaped,
		isCvvBare: finding.isCvvBare,
		isCvvDoubtful: finding.isCvvDoubtful || undefined,
	});
}

function withoutUndefined(finding: ScannedFinding): ScannedFinding {
	return Object.fromEntries(
		Object.entries(finding).filter(([, value]) => value !== undefined),
	) as unknown as ScannedFinding;
}
