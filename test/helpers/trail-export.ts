/** Returns the entries of an export, without the line that ends it. */
// biome-ignore lint/suspicious/noExplicitAny: entries as they are written
export function entriesOf(exported: string): any[] {
	const lines = exported.trimEnd().split('\n');
	return lines.slice(0, -1).map((line) => JSON.parse(line));
}
