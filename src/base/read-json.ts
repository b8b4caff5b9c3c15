/** Reads JSON; returns undefined for a text that is none. The parser's own error would quote the text, which may hold anything. */
export function readJson(text: string | undefined): unknown {
	try {
		return JSON.parse(text ?? '');
	} catch {
		return undefined;
	}
}
