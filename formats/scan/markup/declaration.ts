import { findXmlDeclaration } from '../../../src/base/text/xml-declaration.ts';
import { FileError } from '../../../src/engine/format.ts';

/** Matches encodings in which the bytes below 0x80 are ASCII (formats §5). */
const KNOWN = /^(?:utf-?8|(?:us-)?ascii|iso[-_]?8859[-_]?\d{1,2}|latin-?\d{1,2}|(?:windows|cp)-?125\d)$/i;

/** Reads the XML declaration at `start`, if there is one, and refuses an encoding that does not contain ASCII. */
export function refuseForeignDeclaration(bytes: Buffer, start: number, end: number): void {
	const declaration = findXmlDeclaration(bytes, start, end);
	if (declaration === undefined) {
		throw new FileError('malformed XML declaration', { offset: start, line: 1 }, { code: 'xml-malformed' });
	}
	const name = declaration.encoding;
	if (name === undefined || KNOWN.test(name)) return;
	const shown = name
		.replace(/[^\w.:-]/g, '?')
		.replace(/\d{6,}/g, '?')
		.slice(0, 40);
	throw new FileError(
		`the XML declaration names the encoding ${shown}; expected UTF-8, ISO-8859, Windows-125x or US-ASCII`,
		{ offset: start, line: 1 },
		{ code: 'file-not-text', parameters: { found: shown } },
	);
}
