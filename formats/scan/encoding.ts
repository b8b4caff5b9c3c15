// Formats work on bytes in encodings that contain ASCII: UTF-8, Latin-1, Windows-125x. A file in any other encoding is
// refused, with an error that names the encoding, because a scanner would find no card in it and the file would pass
// through in clear (formats §1).

import { bomLength, findWideMark } from '../../src/base/text/byte-order-mark.ts';
import { countLineEnds } from '../../src/base/text/line-ends.ts';
import { FileError } from '../../src/engine/format.ts';

/**
 * The encoding is decided from this many bytes at the start of a file. A scanner waits for them, or for the last
 * window, because otherwise the verdict would depend on how the file was cut into windows.
 */
export const SNIFF_BYTES = 4096;

/**
 * The shortest card number has this many digits. In EBCDIC every digit is a high byte, so a file with fewer high bytes
 * holds no card number (spec §2.4).
 */
const SHORTEST_NUMBER = 12;

const EXPECTED = 'an ASCII-compatible encoding (UTF-8, Latin-1, Windows-125x)';
const NUL_TEXT = 'a NUL byte before its end, as in text in UTF-16 or UTF-32 that was appended to it, or in binary data';

/** Tells whether `[from, to)` has enough of the start of a file to call `refuseForeignEncoding`. */
export function isHeadComplete(from: number, to: number, isLast: boolean): boolean {
	return isLast || to - from >= SNIFF_BYTES;
}

/**
 * Refuses UTF-16, UTF-32 and EBCDIC, and files that are archives or documents. `from` is the first byte of the file; at
 * most `SNIFF_BYTES` are examined.
 * @throws FileError that names the encoding.
 */
export function refuseForeignEncoding(bytes: Uint8Array, from: number, to: number): void {
	const end = Math.min(to, from + SNIFF_BYTES);
	const wide = findWideMark(bytes, from, end);
	if (wide !== undefined) throw refusal(wide, from);
	const container = findContainer(bytes, from, end);
	if (container !== undefined) {
		const fault = { code: 'file-not-text', parameters: { found: container } } as const;
		throw new FileError(`the file is ${container}`, { offset: from }, fault);
	}
	for (let i = from; i < end; i++) {
		if (bytes[i] === 0) throw refusal('UTF-16, UTF-32 or binary (a NUL byte near the start)', i);
	}
	if (isEbcdic(bytes, from, end)) throw refusal('EBCDIC', from);
}

/**
 * Refuses text with a NUL byte in `[from, to)`, whose first line is `line`. Behind the start of a file such a byte shows that
 * text in UTF-16 was appended, for example by PowerShell's `>>`. No scanner would find a card in it.
 */
export function refuseNul(bytes: Buffer, from: number, to: number, line: number): void {
	const at = bytes.subarray(from, to).indexOf(0);
	if (at === -1) return;
	const place = { offset: from + at, line: line + countLineEnds(bytes, from, from + at) };
	const fault = { code: 'file-not-text', parameters: { found: NUL_TEXT } } as const;
	throw new FileError(`the file has ${NUL_TEXT}; expected ${EXPECTED}`, place, fault);
}

/**
 * Returns where the NUL bytes at the end of `[from, to)` begin, or `to` if there are none. Old systems fill the last
 * block of a file with them. Text in UTF-16 never ends so, because it has a NUL byte in each character.
 */
export function paddingStart(bytes: Uint8Array, from: number, to: number): number {
	let at = to;
	while (at > from && bytes[at - 1] === 0) at--;
	return at;
}

/**
 * Returns the position at which the text of a file begins, or undefined while too few of its first bytes have arrived.
 * The first byte of the file is at `from`.
 * @throws FileError that names an encoding or a layout that is not supported.
 */
export function findTextStart(
	bytes: Buffer,
	from: number,
	to: number,
	isLast: boolean,
	reads?: ReadAnyway,
): number | undefined {
	if (!isHeadComplete(from, to, isLast)) return undefined;
	return textStartOf(bytes, from, to, reads);
}

/**
 * Returns the position at which the text of a file begins, whose first bytes, as many as are examined, are in
 * `bytes[from, to)`.
 * @throws FileError that names an encoding or a layout that is not supported.
 */
export function textStartOf(bytes: Buffer, from: number, to: number, reads?: ReadAnyway): number {
	refuseForeignEncoding(bytes, from, to);
	const start = from + bomLength(bytes, from, to);
	refuseForeignLayout(bytes, start, to, reads);
	return start;
}

/**
 * Lists the first bytes of archives and documents that people sometimes send instead of the text in them. Other binary
 * files are recognised by a NUL byte near their start, but some of these have none.
 */
const CONTAINERS: readonly (readonly [mark: Uint8Array, says: string])[] = [
	[Buffer.from('PK\x03\x04'), 'a ZIP archive or an Excel workbook: unpack it, or save it as text, and send that'],
	[
		Buffer.from([0xd0, 0xcf, 0x11, 0xe0]),
		'an Excel workbook (.xls) or another Office document: save it as text and send that',
	],
	[Buffer.from([0x1f, 0x8b]), 'compressed (gzip): unpack it and send that'],
	[Buffer.from('%PDF-'), 'a PDF document: send the data it was made from'],
];

function findContainer(bytes: Uint8Array, from: number, end: number): string | undefined {
	const starts = (mark: Uint8Array) => end - from >= mark.length && mark.every((byte, i) => bytes[from + i] === byte);
	return CONTAINERS.find(([mark]) => starts(mark))?.[1];
}

/**
 * Tells whether a file is in EBCDIC. EBCDIC letters and digits are above 0x7F, its blank and punctuation at 0x40 and
 * above, and 0x20 to 0x3F are control codes. ASCII has the blank, digits and nearly all separators in that range. Text
 * in another script (Cyrillic, Chinese) is mostly high bytes too, so letters prove nothing; but a file with hardly any
 * ASCII blanks, digits and separators is EBCDIC.
 */
function isEbcdic(bytes: Uint8Array, from: number, end: number): boolean {
	let high = 0;
	let marks = 0;
	for (let i = from; i < end; i++) {
		const byte = bytes[i];
		if (byte >= 0x80) high++;
		// 0x25 does not count as ASCII here, because it is EBCDIC's line feed. 0x09 does: it is the ASCII tab, and in
		// EBCDIC a control code that nobody writes.
		else if ((byte >= 0x20 && byte <= 0x3f && byte !== 0x25) || byte === 0x09) marks++;
	}
	return high >= SHORTEST_NUMBER && marks * 64 < high;
}

function refusal(encoding: string, offset: number): FileError {
	const fault = { code: 'file-not-text', parameters: { found: encoding } } as const;
	return new FileError(`the file is ${encoding}; expected ${EXPECTED}`, { offset }, fault);
}

/** A layout that one kind of scanner can read nevertheless: XML, or rows whose columns the options designate. */
type ReadAnyway = 'xml' | 'columns';

/**
 * A layout of the trade that no filter reads, told by its first bytes, so that the refusal can name it and say what to send
 * instead. Its fields have fixed columns or no names, so a scanner would find cards by chance only.
 */
interface ForeignLayout {
	readonly begins: RegExp;
	readonly says: string;
	readonly except?: ReadAnyway;
}

const EXPORT = 'send the same bookings as an export with named fields (filters CSV, SIMPLEJSON, TADC)';
const FEED = 'order the same report with named fields, as CSV or XML (filters CSV, GBT, TADC)';

/**
 * Sources: Travelport's MIR help, IATA's DISH, American Express' and Visa's descriptions of their feeds as importers of
 * expenses publish them, and the root element of Mastercard's schema.
 */
const LAYOUTS: readonly ForeignLayout[] = [
	{
		begins: /^T5\d[A-Z]\d{6}/,
		says: `a Galileo, Apollo or Worldspan interface record (MIR), not read: ${EXPORT}, or ask your operator for the plugin GALILEOMIR`,
	},
	{ begins: /^BFH\d/, says: `a BSP HOT file (DISH, begins with BFH), not read: ${EXPORT}` },
	{ begins: /^CFH\d/, says: `a BSP card sales file (DISH CSI, begins with CFH), not read: ${EXPORT}` },
	{ begins: /^(?:UNA.{6}\s{0,2})?UNB\+/, says: `an interchange of EDIFACT, not read: ${EXPORT}` },
	{
		begins: /^0[^,;|\t\r\n]{0,120}?(?:GL|KR)[ -]?0{0,2}(?:1025|1080|1205)/,
		says: `a feed of American Express with fixed columns (GL1025, GL1205, KR1025), not read: ${FEED}`,
	},
	{
		begins: /^[68]\t[^\t\r\n]{0,32}\t\d{1,10}\t\d{8}\t/,
		says: `a feed of Visa (Visa Commercial Format, VCF), not read: ${FEED}`,
		except: 'columns',
	},
	{
		begins: /^(?:<[?!][^>]*>\s*)*<(?:[\w.-]+:)?CDFTransmissionFile\b/,
		says: 'a feed of Mastercard (Common Data Format, CDF3): the filter TADC reads it, with selectors for its account numbers',
		except: 'xml',
	},
];
/** This many bytes tell the layout. */
const HEAD = 512;

/**
 * Refuses a file in a layout that is not read. Its text begins at `from` or behind blanks there.
 * @param reads says what the scanner reads although it is listed here
 * @throws FileError that names the layout
 */
function refuseForeignLayout(bytes: Buffer, from: number, to: number, reads?: ReadAnyway): void {
	let at = from;
	let line = 1;
	// Hosts put control characters before a record.
	while (at < to && bytes[at] <= 0x20) if (bytes[at++] === 0x0a) line++;
	const head = bytes.toString('latin1', at, Math.min(to, at + HEAD));
	const layout = LAYOUTS.find(({ begins, except }) => begins.test(head) && (except === undefined || except !== reads));
	if (layout === undefined) return;
	const fault = { code: 'file-of-other-format', parameters: { found: layout.says } } as const;
	throw new FileError(`the file is ${layout.says}`, { offset: at, line }, fault);
}
