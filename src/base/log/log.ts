// Writes JSON lines through pino. Callers should log names, ids and places only; log/redaction.ts is the last line of
// defence, so all logging must go through this file.

import { type DestinationStream, type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';
import { LineSink } from './line-sink.ts';
import { redactLine, redactText } from './redaction.ts';

export type Logger = PinoLogger;

export interface LogOptions {
	readonly level: string;
	/** Receives finished lines; by default `logLines`. */
	readonly destination?: DestinationStream;
	/**
	 * Whether lines of level `info` and below may wait for a moment, so that many of them are written together. Lines of a
	 * higher level are always written at once.
	 */
	readonly isGathered?: boolean;
	/** These fields are in every line, for example `{ worker: 2 }`. */
	readonly bindings?: Record<string, unknown>;
}

/** The log of this process, which is standard error. It knows how many lines could not be written. */
export const logLines = new LineSink(2);

export function openLogger({ level, destination: target = logLines, isGathered, bindings }: LogOptions): Logger {
	const options = {
		level,
		// Times are written as text. One in ten would otherwise, as a number of milliseconds, look like a card number, and
		// the redaction would have to parse the line to see that it contains none.
		timestamp: stdTimeFunctions.isoTime,
		formatters: { level: (label: string) => ({ level: label }) },
		base: bindings ?? null,
	};
	return pino(options, isGathered && target instanceof LineSink ? gathering(target) : redacting(target));
}

/**
 * Marks the fields of a line that hold nothing but own text, and what `ownText` has returned. Such a line is not searched for
 * secrets and card numbers: the lines that are written for each call would cost a busy daemon a tenth of a call.
 */
export const OWN_FIELDS = Symbol('own fields');

const MOST_KNOWN_TEXTS = 10_000;
const knownTexts = new Map<string, string>();

/** Returns a text that came from outside as it may stand in own fields. It is searched once, because the same ones come again. */
export function ownText(text: string): string {
	let known = knownTexts.get(text);
	if (known !== undefined) return known;
	known = redactText(text);
	if (knownTexts.size >= MOST_KNOWN_TEXTS) knownTexts.clear();
	knownTexts.set(text, known);
	return known;
}

function redacting(target: DestinationStream): DestinationStream {
	return { write: (line) => target.write(redactLine(line)) };
}

function gathering(target: LineSink): DestinationStream {
	return {
		/** With this, pino sets the level and the fields of a line before it writes the line. */
		[pino.symbols.needsMetadataGsym]: true,
		lastLevel: 0,
		lastObj: null,
		write(line: string) {
			const shown = this.lastObj?.[OWN_FIELDS] ? line : redactLine(line);
			if (this.lastLevel > pino.levels.values.info) target.write(shown);
			else target.gather(shown);
		},
	} as DestinationStream & { readonly lastLevel: number; readonly lastObj: { [OWN_FIELDS]?: true } | null };
}
