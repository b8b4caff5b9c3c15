// Writes answers in XML: the same members as in JSON, without absent values (spec §7.1, shapes §1).

const ESCAPES: Readonly<Record<string, string>> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	// Line breaks and tabs are written as character references, because an XML parser would otherwise turn them into a
	// line feed or a blank.
	'\r': '&#xD;',
	'\n': '&#xA;',
	'\t': '&#x9;',
};
// XML 1.0 cannot contain these characters at all, escaped or not.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern has to match control characters
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const REPLACEMENT = '\ufffd';

/** Tells whether XML can hold every character of a text. */
export function fitsXml(text: string): boolean {
	return text.isWellFormed() && text.search(FORBIDDEN) === -1;
}

/** Escapes text for an element or a quoted attribute. Characters that XML cannot hold become U+FFFD. */
export function escapeXml(text: string): string {
	return text
		.toWellFormed()
		.replace(FORBIDDEN, REPLACEMENT)
		.replace(/[&<>"\r\n\t]/g, (character) => ESCAPES[character]);
}

/** Maps the name of a member that is a list to the name of its items, which is by default the name of the member. */
export type ItemNames = Readonly<Record<string, string>>;

/**
 * Writes an element and everything below it. Members whose names begin with `@` become attributes, and members that are
 * null or undefined are left out. A list becomes one element with an element for each item, named `items[name]`, or
 * like the list itself if `items` does not contain its name.
 */
export function writeXml(name: string, value: unknown, items: ItemNames = {}): string {
	if (value === null || value === undefined) return '';
	if (Array.isArray(value)) {
		const item = items[name] ?? name;
		return `<${name}>${value.map((each) => writeXml(item, each, items)).join('')}</${name}>`;
	}
	if (value instanceof Date) return `<${name}>${value.toISOString()}</${name}>`;
	if (typeof value !== 'object') return `<${name}>${escapeXml(String(value))}</${name}>`;
	let attributes = '';
	let content = '';
	for (const [member, inner] of Object.entries(value)) {
		if (member.startsWith('@')) {
			if (inner !== null && inner !== undefined) attributes += ` ${member.slice(1)}="${escapeXml(String(inner))}"`;
		} else content += writeXml(member, inner, items);
	}
	return `<${name}${attributes}>${content}</${name}>`;
}

/** Writes a list as a document: `<ArrayOfX><X>…</X></ArrayOfX>` (shapes §1). */
export function writeXmlList(item: string, values: readonly unknown[], items: ItemNames = {}): string {
	return `<ArrayOf${item}>${values.map((each) => writeXml(item, each, items)).join('')}</ArrayOf${item}>`;
}
