/** Lists the methods that this folder needs of a logger; pino has them. */
export interface SftpLogger {
	debug(fields: object, message: string): void;
	info(fields: object, message: string): void;
	warn(fields: object, message: string): void;
	error(fields: object, message: string): void;
}

const longDigitRun = /\d(?:[ -]?\d){11,}/g;

/**
 * Returns a client's text in a form that may be logged: shortened, and without anything that could be a card number,
 * because people do name files after cards.
 */
export function loggable(text: string): string {
	const short = text.length > 512 ? `${text.slice(0, 512)}…` : text;
	return short.replace(longDigitRun, (digits) => '*'.repeat(digits.length));
}
