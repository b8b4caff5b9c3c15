/** XML 1.0 §2.8: version, encoding and standalone, in this order. */
const DECLARATION =
	/^<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:"1\.\d+"|'1\.\d+')(?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(?:"([^"<>]*)"|'([^'<>]*)'))?(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\r\n]*\?>/;

/** No declaration is longer. */
const MAX_BYTES = 256;

export interface XmlDeclaration {
	/** The byte after it. */
	readonly end: number;
	/** As it is named; whether it can be read is asked only where nothing else says what the bytes are. */
	readonly encoding: string | undefined;
}

/** The XML declaration at `start`; undefined when it is malformed. Without one, `end` is `start`. */
export function findXmlDeclaration(bytes: Buffer, start: number): XmlDeclaration | undefined {
	const isDeclared =
		bytes[start] === 0x3c &&
		bytes[start + 1] === 0x3f &&
		/^<\?xml[\s?]/.test(bytes.toString('latin1', start, start + 6));
	if (!isDeclared) return { end: start, encoding: undefined };
	const declaration = DECLARATION.exec(bytes.toString('latin1', start, start + MAX_BYTES));
	if (declaration === null) return undefined;
	return { end: start + declaration[0].length, encoding: declaration[1] ?? declaration[2] };
}
