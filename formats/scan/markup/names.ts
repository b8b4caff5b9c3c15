// Handles names whose meaning comes from XML itself, from the standard for XML signatures, or from another attribute.

import { isTextAt } from '../../../src/base/card/ascii.ts';
import type { MarkupSelectors } from './selectors.ts';
import type { MarkupTag } from './tag.ts';

const XMLNS = Buffer.from('xmlns:');
const SIGNED_INFO = Buffer.from('SignedInfo');

/** Tells whether a local name is that of the element that every XML signature has. */
export function isSignedInfo(bytes: Buffer, start: number, end: number): boolean {
	return end - start === SIGNED_INFO.length && isTextAt(bytes, start, SIGNED_INFO);
}

/** Tells whether the local name at `at` is a prefix that its tag declares: `xmlns:card`. */
export function isNamespace(bytes: Buffer, at: number): boolean {
	return isTextAt(bytes, at - XMLNS.length, XMLNS);
}

/**
 * Returns the meaning of an element whose name is given by an attribute, or 0 for none: `<Field
 * Name="CVC">123</Field>`. From then on notices call the element by that name.
 */
export function pairCode(selectors: MarkupSelectors, bytes: Buffer, tag: MarkupTag): number {
	const { attributeNames, elementNames } = selectors;
	for (const { nameStart, nameEnd, start, end } of tag.attributes.items.slice(0, tag.attributes.length)) {
		if (!selectors.isPairName?.(attributeNames.find(bytes, nameStart, nameEnd))) continue;
		const code = elementNames.find(bytes, start, end);
		if (code === 0) continue;
		tag.nameStart = start;
		tag.nameEnd = end;
		return code;
	}
	return 0;
}
