// Reads the answers of S3, which are XML of a fixed shape: no attributes that matter, and no element inside itself.

/** Returns the text of the first element with a name, or undefined if there is none. */
export function findText(xml: string, name: string): string | undefined {
	const text = new RegExp(`<${name}(?: [^>]*)?>([^<]*)</${name}>`).exec(xml)?.[1];
	return text === undefined ? undefined : decoded(text);
}

/** Returns what is inside each element with a name. */
export function innerTexts(xml: string, name: string): string[] {
	return [...xml.matchAll(new RegExp(`<${name}>(.*?)</${name}>`, 'gs'))].map(([, inner]) => inner);
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decoded(text: string): string {
	return text.replace(/&(?:(\w+)|#(\d+)|#x([0-9a-f]+));/gi, (whole, name, decimal, hex) => {
		if (name !== undefined) return ENTITIES[name] ?? whole;
		return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal));
	});
}

/** Encodes a text for the content of an element. */
export function encodedText(text: string): string {
	return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
