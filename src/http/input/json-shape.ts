/**
 * Whether JSON text nests lists and objects deeper than allowed. Read before parsing, so that a megabyte of brackets is
 * refused for the price of looking at it.
 */
export function isNestedDeeper(text: string, maxDepth: number): boolean {
	let depth = 0;
	for (let index = 0; index < text.length; index++) {
		switch (text.charCodeAt(index)) {
			case 0x22: // "
				index = endOfString(text, index + 1);
				break;
			case 0x5b: // [
			case 0x7b: // {
				if (++depth > maxDepth) return true;
				break;
			case 0x5d: // ]
			case 0x7d: // }
				depth--;
				break;
		}
	}
	return false;
}

/**
 * The first name that stands twice in one object of JSON text, as it is written; undefined when there is none. A parser
 * keeps the last of them and another reader the first, so nobody could say which one was meant. For text that has parsed.
 */
export function findRepeatedName(text: string): string | undefined {
	/** Names so far of the objects that are open; null for a list. */
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
			case 0x7b: // {
				open.push(new Set());
				isNameNext = true;
				break;
			case 0x5b: // [
				open.push(null);
				break;
			case 0x7d: // }
			case 0x5d: // ]
				open.pop();
				isNameNext = false;
				break;
			case 0x2c: // ,
				isNameNext = Boolean(open.at(-1));
				break;
		}
	}
	return undefined;
}

/** `"a"` and `"\u0061"` are the same name. */
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
