// What the reader of XML tells.

/**
 * What `XmlReader.next` has read: the name in a start tag, an attribute of it and its end; an end tag; a text, a CDATA
 * section, a comment or an instruction. `NONE` means that the piece ends, perhaps inside a tag or a text that is read again
 * from its start with the next piece.
 */
export const XML_EVENT = {
	...{ NONE: 0, TAG: 1, ATTRIBUTE: 2, TAG_END: 3, END_TAG: 4, TEXT: 5, CDATA: 6, COMMENT: 7, INSTRUCTION: 8 },
} as const;
export type XmlEvent = (typeof XML_EVENT)[keyof typeof XML_EVENT];

/** What can be wrong with a text. */
export const XML_PROBLEMS = {
	outside: 'text outside the root element',
	roots: 'more than one root element',
	depth: 'elements nested too deeply',
	stray: 'an end tag without a start tag',
	endTag: 'expected ">" after the name of an end tag',
	elementName: 'expected an element name after "<"',
	attributeName: 'expected an attribute name',
	colons: 'a name with more than one ":"',
	prefix: 'a name that begins or ends with ":"',
	gap: 'expected a blank before an attribute',
	slash: 'expected ">" after "/" in a tag',
	equals: 'expected "=" after an attribute name',
	quotes: 'expected an attribute value in quotes',
	less: '"<" in an attribute value',
	tagControl: 'control character in a tag',
	tagEnd: 'the text ends inside a tag',
	control: 'control character in the text',
	reference: '"&" does not begin a known reference; there are no entities without a DOCTYPE',
	doctype: 'a DOCTYPE is refused: it may redefine what the file says',
	markup: 'unknown markup after "<!"',
	target: 'expected a name after "<?"',
	dashes: '"--" inside a comment',
	comment: 'the text ends inside a comment',
	cdata: 'the text ends inside a CDATA section',
	instruction: 'the text ends inside a processing instruction',
} as const;
export type XmlProblem = keyof typeof XML_PROBLEMS;

export interface XmlReading {
	/** Elements may be nested this deep. */
	readonly depth: number;
	/** Makes the error for a problem at an offset. */
	fail(problem: XmlProblem, at: number): Error;
	/** True if all bytes are there from the beginning. A tag or section that is incomplete then is a problem. */
	readonly isWhole?: boolean;
	/** True if a name has at most one colon, between a prefix and a local name. */
	readonly isNamespaced?: boolean;
}

/** How sections begin and end, and what is wrong with one that does not end, by their events. */
export const SECTIONS: Readonly<Record<number, { open: Buffer; close: Buffer; problem: XmlProblem }>> = {
	[XML_EVENT.CDATA]: { open: Buffer.from('<![CDATA['), close: Buffer.from(']]>'), problem: 'cdata' },
	[XML_EVENT.COMMENT]: { open: Buffer.from('<!--'), close: Buffer.from('-->'), problem: 'comment' },
	[XML_EVENT.INSTRUCTION]: { open: Buffer.from('<?'), close: Buffer.from('?>'), problem: 'instruction' },
};
