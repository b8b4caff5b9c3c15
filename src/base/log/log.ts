// Writes JSON lines through pino. Callers should log names, ids and places only; log/redaction.ts is the last line of
// defence, so all logging must go through this file.

import { type DestinationStream, type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';
import { LineSink } from './line-sink.ts';
import { redactLine } from './redaction.ts';

export type Logger = PinoLogger;

export interface LogOptions {
	readonly level: string;
	/** Receives finished lines; by default `logLines`. */
	readonly destination?: DestinationStream;
	/** These fields are in every line, for example `{ worker: 2 }`. */
	readonly bindings?: Record<string, unknown>;
}

/** The log of this process, which is standard error. It knows how many lines could not be written. */
export const logLines = new LineSink(2);

/** Opens a log. */
export function openLogger({ level, destination: target = logLines, bindings }: LogOptions): Logger {
	const options = {
		level,
		// Times are written as text. One in ten would otherwise, as a number of milliseconds, look like a card number, and
		// the redaction would have to parse the line to see that it contains none.
		timestamp: stdTimeFunctions.isoTime,
		formatters: { level: (label: string) => ({ level: label }) },
		base: bindings ?? null,
	};
	return pino(options, { write: (line: string) => target.write(redactLine(line)) });
}
