import { isBlank } from '../../../../base/text/xml-text.ts';
import { sortOnce } from '../node-order.ts';
import * as tapes from './tape.ts';
import { attributeNode, attributeOf, isElement, STRIDE, XML_KIND, type XmlTape } from './tape.ts';
import { AXIS, type XmlStep, type XmlSteps } from './xpath-steps.ts';

export function followXmlSteps(tape: XmlTape, compiled: XmlSteps, context: number): readonly number[] {
	if (!compiled.isAbsolute) return follow(tape, compiled.steps, context);
	const existing = tape.absolutes.get(compiled);
	if (existing !== undefined) return existing;
	const found = follow(tape, compiled.steps, 0);
	tape.absolutes.set(compiled, found);
	return found;
}

function follow(tape: XmlTape, steps: readonly XmlStep[], context: number): number[] {
	let found = [context];
	for (const step of steps) {
		const next: number[] = [];
		let covered = 0;
		for (const from of found) {
			if (from < 0) {
				const owner = attributeOf(from) * tapes.A_STRIDE + tapes.A_OWNER;
				if (step.axis === AXIS.PARENT) next.push(tape.attributes[owner]);
				continue;
			}
			const end = tape.cells[from * STRIDE + tapes.NEXT];
			switch (step.axis) {
				case AXIS.CHILD:
					addChildren(tape, step, from, next);
					break;
				case AXIS.ATTRIBUTE:
					addAttributes(tape, step, from, next);
					break;
				case AXIS.TEXT:
					addText(tape, from, next);
					break;
				case AXIS.PARENT:
					if (from > 0) next.push(tape.cells[from * STRIDE + tapes.PARENT]);
					break;
				default:
					// A node inside another that was searched before is skipped, because that search has already found all
					// descendants of the inner node.
					if (from < covered) break;
					covered = end;
					addDescendants(tape, step, from, end, next);
			}
		}
		// Attributes need no sorting: they are found element by element, and the elements are already in document order.
		if (step.axis !== AXIS.ATTRIBUTE && step.axis !== AXIS.DESCENDANT_ATTRIBUTE) sortOnce(next);
		found = next;
	}
	return found;
}

function isNamed({ cells }: XmlTape, { local, namespace }: XmlStep, row: number): boolean {
	if (local !== 0 && cells[row + tapes.LOCAL] !== local) return false;
	if (!isElement(cells[row + tapes.KIND])) return false;
	return namespace < 0 || cells[row + tapes.NAMESPACE] === namespace;
}

function addChildren(tape: XmlTape, step: XmlStep, from: number, found: number[]): void {
	const { cells } = tape;
	const kind = cells[from * STRIDE + tapes.KIND];
	if (kind !== XML_KIND.ELEMENT && kind !== XML_KIND.DOCUMENT) return;
	const end = cells[from * STRIDE + tapes.NEXT];
	let looks = 0;
	for (let child = from + 1; child < end; child = cells[child * STRIDE + tapes.NEXT]) {
		looks++;
		if (isNamed(tape, step, child * STRIDE)) found.push(child);
	}
	tape.spend(looks);
}

function addAttributes(tape: XmlTape, step: XmlStep, from: number, found: number[]): void {
	const { cells, attributes } = tape;
	const row = from * STRIDE;
	if (!isElement(cells[row + tapes.KIND])) return;
	const end = cells[row + tapes.ATTRIBUTES_END];
	for (let i = cells[row + tapes.ATTRIBUTES]; i < end; i++) {
		const at = i * tapes.A_STRIDE;
		const isLocal = step.local === 0 || attributes[at + tapes.A_LOCAL] === step.local;
		if (isLocal && (step.namespace < 0 || attributes[at + tapes.A_NAMESPACE] === step.namespace)) {
			found.push(attributeNode(i));
		}
	}
}

function addDescendants(tape: XmlTape, step: XmlStep, from: number, end: number, found: number[]): void {
	tape.spend(end - from);
	if (step.axis === AXIS.DESCENDANT) {
		for (let node = from + 1; node < end; node++) if (isNamed(tape, step, node * STRIDE)) found.push(node);
	} else if (step.axis === AXIS.DESCENDANT_ATTRIBUTE) {
		for (let node = from; node < end; node++) addAttributes(tape, step, node, found);
	} else for (let node = from; node < end; node++) addText(tape, node, found);
}

function addText(tape: XmlTape, from: number, found: number[]): void {
	const { cells } = tape;
	if (cells[from * STRIDE + tapes.KIND] !== XML_KIND.ELEMENT) return;
	const isLeaf = !hasElements(tape, from);
	const end = cells[from * STRIDE + tapes.NEXT];
	for (let child = from + 1; child < end; child = cells[child * STRIDE + tapes.NEXT]) {
		tape.spend(1);
		if (!isSaid(tape, child)) continue;
		found.push(isLeaf ? from : child);
		if (isLeaf) return;
	}
}

/** Tells whether an element contains elements, and not only text. */
export function hasElements({ cells }: XmlTape, node: number): boolean {
	const end = cells[node * STRIDE + tapes.NEXT];
	for (let child = node + 1; child < end; child = cells[child * STRIDE + tapes.NEXT]) {
		if (isElement(cells[child * STRIDE + tapes.KIND])) return true;
	}
	return false;
}

/**
 * Tells whether a node is a CDATA section, or text that is not blank. `X/text()` selects such nodes in an element `X`.
 * If `X` has no child elements, it selects `X` itself instead, so that comments within the text make no difference.
 */
export function isSaid(tape: XmlTape, node: number): boolean {
	const { cells, bytes } = tape;
	const row = node * STRIDE;
	if (cells[row + tapes.KIND] === XML_KIND.CDATA) return true;
	if (cells[row + tapes.KIND] !== XML_KIND.TEXT) return false;
	const start = cells[row + tapes.START];
	const end = cells[row + tapes.END];
	let at = start;
	while (at < end && isBlank(bytes[at])) at++;
	tape.spend(at - start);
	return at < end;
}
