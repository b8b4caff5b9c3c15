// Recognises how comments, CDATA sections and processing instructions begin and end.

import { FileError } from '../../../src/engine/format.ts';
import { INCOMPLETE, NAME_BYTES } from './text.ts';

const GT = 0x3e;
const DASH = 0x2d;
const BRACKET = 0x5d;
const QUESTION = 0x3f;

export const SECTION = { NONE: 0, COMMENT: 1, CDATA: 2, INSTRUCTION: 3 } as const;
export type Section = (typeof SECTION)[keyof typeof SECTION];

export const SECTION_NAMES = ['', 'a comment', 'a CDATA section', 'a processing instruction'] as const;
/** These are the lengths of `<!--`, `<![CDATA[` and `<?`, and of the marks that end each. */
export const OPEN_BYTES = [0, 4, 9, 2] as const;
export const CLOSE_BYTES = [0, 3, 3, 2] as const;

/** Lists the marks that end each section. */
export const SECTION_CLOSES = [undefined, '-->', ']]>', '?>'] as const;

const COMMENT_OPEN = Buffer.from('<!--');
const CDATA_OPEN = Buffer.from('<![CDATA[');

/** Returns the kind of section that begins with the `<!` or `<?` at `at`, or `INCOMPLETE` if too few bytes show it. */
export function sectionAt(bytes: Uint8Array, at: number, end: number, line: number): Section | typeof INCOMPLETE {
	if (at + 2 >= end) return INCOMPLETE;
	const third = bytes[at + 2];
	if (bytes[at + 1] === QUESTION) {
		if (NAME_BYTES[third] === 1) return SECTION.INSTRUCTION;
		throw new FileError('expected a name after "<?"', { offset: at, line }, { code: 'xml-malformed' });
	}
	const isCdata = third === CDATA_OPEN[2];
	const opening = isCdata ? CDATA_OPEN : COMMENT_OPEN;
	for (let i = 2; i < opening.length; i++) {
		if (at + i >= end) return INCOMPLETE;
		if (bytes[at + i] !== opening[i]) throw unknownDeclaration(third, at, line);
	}
	return isCdata ? SECTION.CDATA : SECTION.COMMENT;
}

function unknownDeclaration(third: number, offset: number, line: number): FileError {
	const isDoctype = (third | 0x20) === 0x64;
	const message = isDoctype ? 'a DOCTYPE is refused: it may redefine what the file says' : 'unknown markup after "<!"';
	return new FileError(message, { offset, line }, { code: 'xml-malformed' });
}

/** Finds where sections end. */
export class SectionEnd {
	/** The position at which scanning continues if the end is not in this window. */
	cut = 0;

	/** Returns the position of the mark that ends the section, or `INCOMPLETE`. `at` lies inside the section. */
	find(section: Section, bytes: Uint8Array, at: number, end: number, line: number): number {
		const mark = section === SECTION.COMMENT ? DASH : section === SECTION.CDATA ? BRACKET : QUESTION;
		const isDouble = section !== SECTION.INSTRUCTION;
		for (; at < end; at++) {
			if (bytes[at] !== mark) continue;
			const close = isDouble ? at + 2 : at + 1;
			if (isDouble && at + 1 < end && bytes[at + 1] !== mark) continue;
			if (close >= end) break;
			if (bytes[close] === GT) return at;
			if (section === SECTION.COMMENT)
				throw new FileError('"--" inside a comment', { offset: at, line }, { code: 'xml-malformed' });
		}
		this.cut = at;
		return INCOMPLETE;
	}
}
