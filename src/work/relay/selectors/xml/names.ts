import type { NamedNode } from '../body-format.ts';
import * as tapes from './tape.ts';
import { A_STRIDE, attributeNode, isElement, STRIDE, type XmlTape } from './tape.ts';

/**
 * Returns the attributes and the child elements of an element with their local names or, with `isDeep`, all attributes
 * and elements in it.
 */
export function namedXml(tape: XmlTape, context: number, isDeep: boolean): NamedNode[] {
	if (context < 0) return [];
	const { cells } = tape;
	const found: NamedNode[] = [];
	const addAttributes = (row: number) => {
		for (let i = cells[row + tapes.ATTRIBUTES]; i < cells[row + tapes.ATTRIBUTES_END]; i++) {
			const at = i * A_STRIDE;
			const start = tape.attributes[at + tapes.A_LOCAL_START];
			found.push({ name: textOf(tape, start, tape.attributes[at + tapes.A_NAME_END]), node: attributeNode(i) });
		}
	};
	if (isElement(cells[context * STRIDE + tapes.KIND])) addAttributes(context * STRIDE);
	const end = cells[context * STRIDE + tapes.NEXT];
	for (let node = context + 1; node < end; ) {
		const row = node * STRIDE;
		const isNamed = isElement(cells[row + tapes.KIND]);
		if (isNamed) {
			found.push({ name: textOf(tape, cells[row + tapes.LOCAL_START], cells[row + tapes.NAME_END]), node });
			if (isDeep) addAttributes(row);
		}
		node = isDeep || !isNamed ? node + 1 : cells[row + tapes.NEXT];
	}
	return found;
}

function textOf({ bytes, charset }: XmlTape, start: number, end: number): string {
	return charset.decode(bytes, start, end);
}
