/**
 * Returns the value of the first header with the given name.
 * @param headers lists names and values in turn, as they were received
 * @param wanted is the name in lower case
 */
export function findHeader(headers: readonly string[], wanted: string): string | undefined {
	const at = headers.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === wanted);
	return at === -1 ? undefined : headers[at + 1];
}
