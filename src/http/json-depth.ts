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

function endOfString(text: string, from: number): number {
	for (let index = from; index < text.length; index++) {
		const code = text.charCodeAt(index);
		if (code === 0x5c) index++;
		else if (code === 0x22) return index;
	}
	return text.length;
}
