// Reads the answers of S3, which are XML of a fixed shape: no attributes that matter, and no element inside itself.

/**
 * Returns the text of the first element with a name, or undefined if there is none. Whoever runs the server may send anything,
 * so no part of an answer is looked through twice.
 */
export function findText(xml: string, name: string): string | undefined {
	const begin = `<${name}`;
	for (let at = xml.indexOf(begin); at !== -1; ) {
		const sign = xml[at + begin.length];
		const inner = xml.indexOf('>', at) + 1;
		const end = xml.indexOf('<', inner);
		if (inner === 0 || end === -1) return undefined;
		const isElement = (sign === '>' || sign === ' ') && xml.startsWith(`</${name}>`, end);
		if (isElement) return decoded(xml.slice(inner, end));
		at = xml.indexOf(begin, end);
	}
}

/** Returns what is inside each element with a name. */
export function innerTexts(xml: string, name: string): string[] {
	const [begin, end] = [`<${name}>`, `</${name}>`];
	const found: string[] = [];
	for (let at = xml.indexOf(begin); at !== -1; ) {
		const to = xml.indexOf(end, at);
		if (to === -1) break;
		found.push(xml.slice(at + begin.length, to));
		at = xml.indexOf(begin, to);
	}
	return found;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const LAST_CODE_POINT = 0x10ffff;

function decoded(text: string): string {
	return text.replace(/&(?:(\w+)|#(\d+)|#x([0-9a-f]+));/gi, (whole, name, decimal, hex) => {
		if (name !== undefined) return ENTITIES[name] ?? whole;
		const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
		return code <= LAST_CODE_POINT ? String.fromCodePoint(code) : whole;
	});
}

/** Encodes a text for the content of an element. */
export function encodedText(text: string): string {
	return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
