// Names that XML itself, a signature in it, or another attribute gives a meaning to.

import type { MarkupSelectors } from './selectors.ts';
import type { MarkupTag } from './tag.ts';

const XMLNS = Buffer.from('xmlns:');
const SIGNED_INFO = Buffer.from('SignedInfo');

/** Whether a local name is that of the element every XML signature has. */
export function isSignedInfo(bytes: Buffer, start: number, end: number): boolean {
	return end - start === SIGNED_INFO.length && isAt(bytes, start, SIGNED_INFO);
}

/** Whether the local name at `at` is a prefix that its tag declares: `xmlns:card`. */
export function isNamespace(bytes: Buffer, at: number): boolean {
	return isAt(bytes, at - XMLNS.length, XMLNS);
}

/**
 * What an element means that an attribute gives its name, 0 for nothing: `<Field Name="CVC">123</Field>`. That name is what
 * is told of the element from now on.
 */
export function pairCode(selectors: MarkupSelectors, bytes: Buffer, tag: MarkupTag): number {
	const { attributeNames, elementNames } = selectors;
	for (let slot = 0; slot < tag.attributeCount * 4; slot += 4) {
		const [nameStart, nameEnd, start, end] = tag.attributes.subarray(slot, slot + 4);
		if (!selectors.isPairName?.(attributeNames.find(bytes, nameStart, nameEnd))) continue;
		const code = elementNames.find(bytes, start, end);
		if (code === 0) continue;
		tag.nameStart = start;
		tag.nameEnd = end;
		return code;
	}
	return 0;
}

function isAt(bytes: Buffer, at: number, mark: Uint8Array): boolean {
	for (let i = 0; i < mark.length; i++) if (bytes[at + i] !== mark[i]) return false;
	return true;
}
