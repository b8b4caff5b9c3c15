// Shortens lines that are too long for the log, because searching all of a long line would delay the code that writes
// it.

import { maskBeginning } from './masked-beginning.ts';

export const MAX_LINE_CHARACTERS = 16_384;
const MAX_TEXT_CHARACTERS = 1024;
/**
 * The text is redacted up to this many characters beyond the place where it is cut, so that a secret which crosses this
 * place is still recognised.
 */
const LOOK_AHEAD = 4096;
/** A line longer than this is not even parsed as JSON; only its beginning is kept. */
const MAX_PARSED_CHARACTERS = 1_048_576;
const CUT = 'the line was too long for the log';

/**
 * Returns a line that is short enough for the log: all values of the long line with only the beginnings of their texts,
 * or, if that is still too long, only its level, time and message.
 * @param redact removes secrets and card numbers from a text; the line itself must still be redacted
 */
export function cutLine(line: string, redact: (text: string) => string): string {
	const cutText = (text: string) => {
		if (text.length <= MAX_TEXT_CHARACTERS) return text;
		// Secrets and card numbers are hidden before the text is cut, because a secret or number that the cut halves would
		// no longer be recognised.
		const seen = redact(maskBeginning(text, MAX_TEXT_CHARACTERS + LOOK_AHEAD));
		return `${maskBeginning(seen, MAX_TEXT_CHARACTERS)} … (cut)`;
	};
	const asLine = (value: object) => `${JSON.stringify(value)}\n`;
	const whole = line.length > MAX_PARSED_CHARACTERS ? undefined : findParsed(line, cutText);
	if (whole === undefined) return asLine({ cut: CUT, beginning: cutText(line) });
	const cut = asLine(whole);
	if (cut.length <= MAX_LINE_CHARACTERS) return cut;
	const { level, time, msg } = whole;
	return asLine({ level, time, msg: typeof msg === 'string' ? msg : undefined, cut: CUT });
}

function findParsed(line: string, cutText: (text: string) => string): Readonly<Record<string, unknown>> | undefined {
	try {
		const value = JSON.parse(line, (_, inner) => (typeof inner === 'string' ? cutText(inner) : inner));
		return typeof value === 'object' && value !== null ? value : undefined;
	} catch {
		return undefined;
	}
}
