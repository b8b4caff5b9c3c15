import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { readExpiry } from '../../src/base/card/expiry.ts';
import { countLineEnds } from '../../src/base/text/line-ends.ts';
import { type Direction, FileError, type Findings, type Format, type Scanner } from '../../src/engine/format.ts';
import { refuseForeignEncoding, SNIFF_BYTES } from '../scan/encoding.ts';
import { type PluginAnswer, type PluginCard, readAnswer } from './answer.ts';
import { MAX_SOURCE_BYTES, type Manifest, type Plugin, parseManifest } from './manifest.ts';
import { type Patience, PluginFailure, PluginProcess } from './process.ts';

const CR = 0x0d;

export interface PluginScannerOptions {
	readonly plugin: Plugin;
	readonly direction: Direction;
	/** Checks that the plugin is still allowed. @throws FileError if it is not */
	readonly requireAllowed?: () => Promise<void>;
	/** Waits until one more process of a plugin may begin, and returns what is called at its end. */
	readonly takeLane?: () => Promise<() => void>;
	readonly patience?: Patience;
	/** True for samples: errors then name the positions that a plugin has answered. */
	readonly tellsPositions?: boolean;
}

/** Scans one file with a plugin, in a process of its own. */
export class PluginScanner implements Scanner {
	line = 1;
	readonly #manifest: Manifest;
	readonly #tellsPositions: boolean;
	readonly #begun: Promise<PluginProcess | undefined>;
	#process: PluginProcess | undefined;
	#giveBack: (() => void) | undefined;
	#isClosed = false;
	#answer: Exclude<PluginAnswer, { fault: string }> | undefined;
	/** The first bytes of the file, as long as there are too few to tell its encoding. */
	#head: Buffer | undefined = Buffer.alloc(0);
	/** The offset in the file of the byte that the next answer begins with. */
	#position = 0;
	#isAfterCr = false;
	#records = 0;
	/** The line of the card that was found last. */
	#cardLine = 1;
	#place = { counted: 0, line: 1 };

	constructor(options: PluginScannerOptions) {
		this.#manifest = options.plugin.manifest;
		this.#tellsPositions = options.tellsPositions === true;
		this.#begun = this.#begin(options);
		// An error is thrown where the first window is asked about, and there may be none.
		this.#begun.catch(() => {});
	}

	async #begin({
		plugin,
		direction,
		requireAllowed,
		takeLane,
		patience,
	}: PluginScannerOptions): Promise<PluginProcess | undefined> {
		this.#giveBack = await takeLane?.();
		if (this.#isClosed) {
			this.#giveBack?.();
			return undefined;
		}
		this.#process = new PluginProcess(patience);
		const [said] = await Promise.all([this.#process.begin(plugin.source, direction), requireAllowed?.()]);
		// What counts is what it said when it was allowed.
		if (!isDeepStrictEqual(readManifest(said), plugin.manifest))
			throw new PluginFailure('it says something else of itself than when it was allowed');
		return this.#process;
	}

	async prepare(bytes: Buffer, from: number, to: number, isLast: boolean): Promise<void> {
		this.#answer = undefined;
		this.#place = { counted: from, line: this.line };
		this.#checkEncoding(bytes, from, to, isLast);
		try {
			const process = await this.#begun;
			if (process === undefined) throw new PluginFailure('it was closed');
			const answer = await process.ask(bytes.subarray(from, to), isLast);
			const read = readAnswer(answer, { bytes, from, to, isLast }, this.#manifest);
			if ('fault' in read)
				throw new FileError(read.fault, { offset: read.at, line: this.#lineAt(bytes, from, read.at) });
			this.#answer = read;
		} catch (error) {
			throw error instanceof PluginFailure ? this.#failed(error, from) : error;
		}
	}

	scan(bytes: Buffer, from: number, _to: number, _isLast: boolean, found: Findings): number {
		const answer = this.#answer;
		if (answer === undefined) return from;
		for (const card of answer.cards) {
			const line = this.#lineAt(bytes, from, card.number.start);
			this.#countRecord(card.record, line);
			this.#add(bytes, card, line, found);
		}
		this.#position += answer.settled - from;
		this.line = this.#lineAt(bytes, from, answer.settled);
		if (answer.settled > from) this.#isAfterCr = bytes[answer.settled - 1] === CR;
		const dropped = answer.droppedTexts + ((this.#process?.droppedBytes ?? 0) > 0 ? 1 : 0);
		if (dropped > 0) found.notice(`The plugin ${this.#manifest.filter} wrote messages, which nobody has read`);
		return answer.settled;
	}

	close(): void {
		this.#isClosed = true;
		if (this.#process === undefined) return;
		this.#process.close();
		this.#giveBack?.();
	}

	/** Refuses a file in an encoding in which no number would be found, as every format does. */
	#checkEncoding(bytes: Buffer, from: number, to: number, isLast: boolean): void {
		if (this.#head === undefined) return;
		const known = this.#head.length - this.#position;
		this.#head = Buffer.concat([this.#head, bytes.subarray(from + known, Math.min(to, from + known + SNIFF_BYTES))]);
		if (this.#head.length < SNIFF_BYTES && !isLast) return;
		refuseForeignEncoding(this.#head, 0, this.#head.length);
		this.#head = undefined;
	}

	/**
	 * Counts the record of a card. The plugin's own number stands in reports, so it may only grow, and by no more than the lines
	 * since the card before; otherwise it could be any digits.
	 */
	#countRecord(record: number, line: number): void {
		const most = this.#records + 1 + line - this.#cardLine;
		this.#records = record === 0 ? this.#records + 1 : Math.min(Math.max(record, this.#records, 1), most);
		this.#cardLine = line;
	}

	#add(bytes: Buffer, card: PluginCard, line: number, found: Findings): void {
		const { number, expiry, cvv, type, name, reference, mask, tail } = card;
		const finding = found.next();
		finding.record = this.#records;
		finding.line = line;
		finding.numberStart = number.start;
		finding.numberEnd = number.end;
		finding.expiry = readExpiry(bytes, expiry.start, expiry.end, this.#manifest.expiryFormat);
		finding.cvvStart = cvv.start;
		finding.cvvEnd = cvv.end;
		finding.typeStart = type.start;
		finding.typeEnd = type.end;
		finding.nameStart = name.start;
		finding.nameEnd = name.end;
		finding.referenceStart = reference.start;
		finding.referenceEnd = reference.end;
		if (tail === -1 && mask.start === mask.end) return;
		finding.shape = 'columns';
		finding.sideStart = tail === -1 ? mask.start : tail;
		finding.sideEnd = tail === -1 ? mask.end : tail;
	}

	/** The positions of an answer are in order, so the lines are counted from the place that was asked about last. */
	#lineAt(bytes: Buffer, from: number, at: number): number {
		const { counted, line } = this.#place;
		const isAfterCr = counted > from ? bytes[counted - 1] === CR : this.#isAfterCr;
		this.#place = { counted: at, line: line + countLineEnds(bytes, counted, at, isAfterCr) };
		return this.#place.line;
	}

	#failed({ message, positions }: PluginFailure, from: number): FileError {
		const plugin = this.#manifest.filter;
		const problem = this.#tellsPositions && positions !== '' ? `${message} (${positions})` : message;
		const text = `the plugin of the format ${plugin} failed in the window that begins here: ${problem}`;
		const fault = { code: 'plugin-failed', parameters: { plugin, problem } } as const;
		return new FileError(text, { offset: from, line: this.line }, fault);
	}
}

function readManifest(said: string): Manifest | undefined {
	try {
		return parseManifest(said);
	} catch {
		return undefined;
	}
}

export type PluginFormatOptions = Pick<
	PluginScannerOptions,
	'requireAllowed' | 'takeLane' | 'patience' | 'tellsPositions'
>;

export function pluginFormat(plugin: Plugin, options: PluginFormatOptions = {}): Format {
	const { filter, tokenCase } = plugin.manifest;
	return {
		filter,
		tokenCase,
		options: z.strictObject({}),
		scanner: (_, direction) => new PluginScanner({ ...options, plugin, direction }),
	};
}

/**
 * Loads a plugin once, in a process as those that scan files, and asks what it says of itself.
 * @throws Error that says why the file is no plugin
 */
export async function readPlugin(source: string): Promise<Plugin> {
	if (Buffer.byteLength(source) > MAX_SOURCE_BYTES) throw new Error(`a plugin may have ${MAX_SOURCE_BYTES} bytes`);
	const process = new PluginProcess();
	try {
		return { source, sha256: hashOf(source), manifest: parseManifest(await process.begin(source, 'tokenize')) };
	} finally {
		process.close();
	}
}

/** Returns the SHA-256 of a plugin's source in hexadecimal digits. */
export function hashOf(source: string): string {
	return createHash('sha256').update(source).digest('hex');
}
