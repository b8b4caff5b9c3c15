/** The limits of a body in JSON. A parser takes a multiple of the usual time for a text that exceeds them. */
export interface JsonLimits {
	readonly depth: number;
	/** The most names of members, in all objects together. */
	readonly names: number;
}

/**
 * Returns which limit JSON text exceeds; undefined if none. This is checked before the text is parsed, so that a
 * megabyte of brackets is refused cheaply.
 */
export function findExcess(text: string, limits: JsonLimits): string | undefined {
	let depth = 0;
	let names = 0;
	for (let index = 0; index < text.length; index++) {
		switch (text.charCodeAt(index)) {
			case 0x22: // 0x22 is the code of a quotation mark.
				index = endOfString(text, index + 1);
				break;
			case 0x5b: // 0x5b is the code of [, which opens a list.
			case 0x7b: // 0x7b is the code of {, which opens an object.
				if (++depth > limits.depth) return `nested deeper than ${limits.depth}`;
				break;
			case 0x5d: // 0x5d is the code of ], which closes a list.
			case 0x7d: // 0x7d is the code of }, which closes an object.
				depth--;
				break;
			case 0x3a: // 0x3a is the code of a colon, which stands behind each name.
				if (++names > limits.names) return `has more than ${limits.names} members`;
				break;
		}
	}
	return undefined;
}

/**
 * Returns the first name that occurs twice in one object of JSON text, without its escapes; undefined if there is none.
 * A text with such a name is ambiguous, because some parsers use the first value and others the last. The text must be
 * valid JSON.
 */
export function findRepeatedName(text: string): string | undefined {
	/** The names found so far in each open object; null for a list. */
	const open: (Set<string> | null)[] = [];
	let isNameNext = false;
	for (let index = 0; index < text.length; index++) {
		switch (text.charCodeAt(index)) {
			case 0x22: {
				const end = endOfString(text, index + 1);
				if (isNameNext) {
					const name = nameOf(text.slice(index, end + 1));
					const names = open.at(-1)!;
					if (names.has(name)) return name;
					names.add(name);
					isNameNext = false;
				}
				index = end;
				break;
			}
			case 0x7b: // 0x7b is the code of {, which opens an object.
				open.push(new Set());
				isNameNext = true;
				break;
			case 0x5b: // 0x5b is the code of [, which opens a list.
				open.push(null);
				break;
			case 0x7d: // 0x7d is the code of }, which closes an object.
			case 0x5d: // 0x5d is the code of ], which closes a list.
				open.pop();
				isNameNext = false;
				break;
			case 0x2c: // 0x2c is the code of a comma.
				isNameNext = Boolean(open.at(-1));
				break;
		}
	}
	return undefined;
}

/** Decodes a quoted name, because `"a"` and `"\u0061"` are the same name. */
function nameOf(quoted: string): string {
	return quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
}

function endOfString(text: string, from: number): number {
	for (let index = from; index < text.length; index++) {
		const code = text.charCodeAt(index);
		if (code === 0x5c) index++;
		else if (code === 0x22) return index;
	}
	return text.length;
}
