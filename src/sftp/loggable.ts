/** What the room needs of a logger; pino's fits. */
export interface SftpLogger {
	debug(fields: object, message: string): void;
	info(fields: object, message: string): void;
	warn(fields: object, message: string): void;
	error(fields: object, message: string): void;
}

const longDigitRun = /\d(?:[ -]?\d){11,}/g;

/**
 * Text of a client as a log line may hold it: bounded, and without anything that could be a card number, since people
 * do name files after cards.
 */
export function loggable(text: string): string {
	const short = text.length > 512 ? `${text.slice(0, 512)}…` : text;
	return short.replace(longDigitRun, (digits) => '*'.repeat(digits.length));
}
