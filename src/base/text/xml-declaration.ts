/** Matches the XML declaration by XML 1.0 §2.8: version, encoding and standalone, in this order. */
const DECLARATION =
	/^<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*(?:"1\.\d+"|'1\.\d+')(?:[ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*(?:"([^"<>]*)"|'([^'<>]*)'))?(?:[ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\r\n]*\?>/;

/**
 * Reads the XML declaration at `start`, which ends before `end`: returns the position after it and the encoding that it
 * names, or undefined if it is malformed. If there is no declaration, the position is `start`.
 */
export function findXmlDeclaration(bytes: Buffer, start: number, end: number) {
	if (!/^<\?xml[\s?]/.test(bytes.toString('latin1', start, Math.min(end, start + 6))))
		return { end: start, encoding: undefined };
	const declaration = DECLARATION.exec(bytes.toString('latin1', start, end));
	if (declaration === null) return undefined;
	return { end: start + declaration[0].length, encoding: declaration[1] ?? declaration[2] };
}
