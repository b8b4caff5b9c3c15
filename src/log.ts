// JSON lines through pino. Callers are expected to log names, ids and places; log/redaction.ts is the last line of
// defence for what slips through all the same, so no other way to the log may be opened beside this one.

import { type DestinationStream, destination, type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';
import { redactLine } from './log/redaction.ts';

export type Logger = PinoLogger;

export interface LogOptions {
	readonly level: string;
	/** Where finished lines go; standard error unless given. */
	readonly destination?: DestinationStream;
	/** In every line: `{ worker: 2 }`. */
	readonly bindings?: Record<string, unknown>;
}

/** Opens a log. Lines are written at once, so that the last one before a crash is there. */
export function openLogger({ level, destination: target = standardError(), bindings }: LogOptions): Logger {
	const options = {
		level,
		// Times are text: a number of milliseconds would look like a card number to the redaction, in every line.
		timestamp: stdTimeFunctions.isoTime,
		formatters: { level: (label: string) => ({ level: label }) },
		base: bindings ?? null,
	};
	return pino(options, { write: (line: string) => target.write(redactLine(line)) });
}

function standardError(): DestinationStream {
	return destination({ fd: 2, sync: true });
}
