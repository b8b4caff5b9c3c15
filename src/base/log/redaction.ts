// Redacts finished log lines. Everything a logger was given is in the line (bindings of child loggers, messages, stacks
// of errors and of their causes), so nothing can bypass this.

import { COMMON_WORDS, spellingsOf, type WordKind } from '../card/names/field-words.ts';
import { findMaskedNumber, maskCardNumbers } from './card-numbers.ts';
import { maskBeginning } from './masked-beginning.ts';

const REDACTED = '[redacted]';

/** Lists fields whose value is never shown, at any depth. Names are compared ignoring case, `-` and `_`. */
const SECRET_FIELDS = [
	...['password', 'passwd', 'passphrase', 'secret', 'privatekey', 'masterkey', 'keymaterial', 'credentials'],
	...['secretkey', 'secretaccesskey'],
	...['apikey', 'xserviceapikey', 'sessiontoken', 'accesstoken', 'authorization', 'proxyauthorization', 'cookie'],
	...['setcookie', 'xservicesftppassword', 'xservicetargetauthorization'],
	...['xservicetargetcookie', 'xservicetargetsetcookie'],
	...['number', 'cardnumber', 'track1', 'track2', 'pin'],
];
const SECRET_FIELD_SET = new Set(SECRET_FIELDS);

/** Matches one of the words of a kind, but for the shortest. A sign may divide a word that has a hyphen in the vocabulary. */
function oneOf(kind: WordKind, least: number): string {
	const words = spellingsOf(kind).filter((word) => word.length >= least && !COMMON_WORDS.has(word));
	return `(?:${words.map((word) => word.replaceAll('-', '[-_. ]?')).join('|')})`;
}
const CODE = `(?:${oneOf('code', 3)}|${oneOf('number', 2)})`;
/** Matches what the vocabulary says for a security code, in both orders of its words. */
const CVV = `(?:${oneOf('cvv', 3)}|${oneOf('security', 3)}[-_. ]?${CODE}|${oneOf('code', 3)}[-_. ]?(?:d[aei][-_. ]?)?${oneOf('security', 5)})`;
/** Matches a name that ends with such words: `cardCvv`, `guest_security_code`. */
const CVV_NAME = new RegExp(`${CVV}$`, 'i');
/** Matches such words and the code behind them: `CVV 123`. */
const CVV_TEXT = new RegExp(`(${CVV}(?:[ .]${CODE})?\\\\?["']?[ =:#-]{1,3}\\\\?["']?)\\d{3,4}(?!\\d)`, 'gi');

/**
 * Matches secrets inside text: parameters of a URL or form, header values, the password of a database URL, and API
 * keys.
 */
const SECRET_TEXT =
	/\b((?:session_?token|access_?token|api_?key|password|passphrase|cvv|cvc)\\?["']?\s*[=:]\s*\\?["']?)([^\s&"'<>,;\\]+)|\b(APIKEY|Bearer|Basic)( )[\w.~+/=-]{16,}|(:\/\/[^\s:/?#@"]*:)[^\s/"]*(?=@)|\b(td[a-z]*_(?:sandbox|production)_)[\w-]{16,}/gi;

/**
 * Matches lines that may contain a secret. Nearly every line neither matches nor contains a possible card number, and
 * is written unchanged without being parsed.
 */
const SUSPECT = new RegExp(
	[
		`"(?:${SECRET_FIELDS.map((name) => [...name].join('[-_]*')).join('|')})":`,
		SECRET_TEXT.source,
		CVV,
		'"type":"Buffer"',
		// A line with a backslash is examined too, because an escape such as `\u0034` can stand for a digit or a separator.
		'\\\\',
	].join('|'),
	'i',
);

/**
 * Returns a finished log line without secrets and card numbers. Text is masked generously. A bare JSON number is masked
 * only if it has the shape of a known brand's card, because times, sizes and ids must not change.
 */
export function redactLine(line: string): string {
	return redactShort(line.length > MAX_LINE_CHARACTERS ? cutLine(line, redactText) : line);
}

function redactShort(line: string): string {
	if (!SUSPECT.test(line) && maskCardNumbers(line) === line) return line;
	try {
		return `${JSON.stringify(JSON.parse(line, redactValue))}\n`;
	} catch {
		// The line is not JSON, so it is not from pino, but it is still redacted.
		return redactText(line);
	}
}

/** Returns text without secrets and card numbers, for error texts that leave the process. */
export function redactText(text: string): string {
	return maskCardNumbers(text.replace(SECRET_TEXT, hideSecret).replace(CVV_TEXT, `$1${REDACTED}`));
}

/** Hides a secret but keeps the text that identifies it: a parameter's name, a scheme, a prefix. */
function hideSecret(_: string, name = '', _value = '', scheme = '', blank = '', url = '', prefix = ''): string {
	return name + scheme + blank + url + prefix + REDACTED;
}

/**
 * Redacts one value of a line, as the reviver of `JSON.parse`, which calls it for the innermost values first. `source`
 * is the text of a number, string, boolean or null as it was in the line.
 */
function redactValue(this: unknown, name: string, value: unknown, context?: { source?: string }): unknown {
	if (
		name !== '' &&
		(SECRET_FIELD_SET.has(plainName(name)) || CVV_NAME.test(name)) &&
		value !== null &&
		typeof value !== 'boolean'
	)
		return REDACTED;
	if (typeof value === 'string') return redactText(value);
	if (typeof value === 'number') return redactNumber(value, context?.source ?? String(value));
	if (typeof value !== 'object' || value === null) return value;
	// A Buffer appears in a line as a list of numbers, one for each byte, and a search for digits would not recognise a
	// card number in it. So only its length is shown.
	if (isBufferJson(value)) return `[Buffer of ${value.data.length} bytes]`;
	return Array.isArray(value) ? value : withRedactedNames(value);
}

function redactNumber(value: number, source: string): unknown {
	const masked = findMaskedNumber(source.replace(/^-|\.\d*$/g, ''));
	if (masked !== undefined) return masked;
	// An integer that is too large for a JavaScript number is written with the digits that it had in the line, so that it
	// is not rounded.
	const isExact = !Number.isInteger(value) || Number.isSafeInteger(value);
	return isExact ? value : (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(source);
}

function isBufferJson(value: object): value is { data: unknown[] } {
	const { type, data } = value as { type?: unknown; data?: unknown };
	return type === 'Buffer' && Array.isArray(data);
}

function withRedactedNames(value: object): object {
	const names = Object.keys(value);
	if (!names.some((name) => redactText(name) !== name)) return value;
	return Object.fromEntries(Object.entries(value).map(([name, inner]) => [redactText(name), inner]));
}

function plainName(name: string): string {
	return name.replace(/[-_]/g, '').toLowerCase();
}

const MAX_LINE_CHARACTERS = 16_384;
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
 * or, if that is still too long, only its level, time and message. Searching all of a long line would delay the code that
 * writes it.
 * @param redact removes secrets and card numbers from a text; the line itself must still be redacted
 */
function cutLine(line: string, redact: (text: string) => string): string {
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
