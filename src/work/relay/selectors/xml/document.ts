// Builds the nodes that the XPath library visits. They are built from our own tape, so that the bytes of each selected
// node are known.

import { Document, type Element, type Node } from 'slimdom';
import { malformedBody, refusal } from '../problems.ts';
import { resolveReferences } from './escape.ts';
import * as tapes from './tape.ts';
import { attributeNode, isElement, STRIDE, XML_KIND, type XmlTape } from './tape.ts';

/** With more nodes, only simple expressions can be used, which need the tape alone and not the library. */
const MAX_NODES = 100_000;

/** The nodes of a body as the XPath library needs them, with the node of the tape that each of them is. */
export class XmlDocument {
	/** Holds the nodes by their number on the tape. */
	readonly nodes: Node[] = [];
	readonly #numbers = new Map<Node, number>();
	readonly #attributes = new Map<number, Node>();
	readonly #tape: XmlTape;

	constructor(tape: XmlTape) {
		if (tape.count + tape.attributeCount > MAX_NODES) {
			throw refusal(`the body has more than ${MAX_NODES} nodes; use selectors of names alone`);
		}
		this.#tape = tape;
		const document = new Document();
		this.#add(0, document);
		for (let i = 1; i < tape.count; i++) this.#add(i, this.#make(document, i));
	}

	/**
	 * Returns the library's node for the number of a node.
	 * @param node is the number; the numbers of attributes are negative
	 */
	nodeOf(node: number): Node {
		return (node < 0 ? this.#attributes.get(node) : this.nodes[node]) as Node;
	}

	numberOf(node: Node): number | undefined {
		return this.#numbers.get(node);
	}

	#add(number: number, node: Node): void {
		this.nodes[number] = node;
		this.#numbers.set(node, number);
		if (number > 0) this.nodes[this.#tape.cells[number * STRIDE + tapes.PARENT]].appendChild(node);
	}

	#make(document: Document, number: number): Node {
		const { cells, bytes, charset } = this.#tape;
		const row = number * STRIDE;
		const kind = cells[row + tapes.KIND];
		if (isElement(kind)) return this.#makeElement(document, row);
		const text = charset.decode(bytes, cells[row + tapes.START], cells[row + tapes.END]).replace(/\r\n?/g, '\n');
		if (kind === XML_KIND.TEXT) return document.createTextNode(resolveReferences(text));
		if (kind === XML_KIND.CDATA) return document.createCDATASection(text);
		if (kind === XML_KIND.COMMENT) return document.createComment(text);
		return document.createComment('');
	}

	#makeElement(document: Document, row: number): Element {
		const { cells, bytes, charset, attributes } = this.#tape;
		const name = charset.decode(bytes, cells[row + tapes.NAME_START], cells[row + tapes.NAME_END]);
		const at = cells[row + tapes.NAME_START];
		const element = this.#named(at, () =>
			document.createElementNS(this.#namespace(cells[row + tapes.NAMESPACE]), name),
		);
		for (let i = cells[row + tapes.ATTRIBUTES]; i < cells[row + tapes.ATTRIBUTES_END]; i++) {
			const cell = i * tapes.A_STRIDE;
			const nameStart = attributes[cell + tapes.A_NAME_START];
			const attributeName = charset.decode(bytes, nameStart, attributes[cell + tapes.A_NAME_END]);
			const raw = charset.decode(bytes, attributes[cell + tapes.A_START], attributes[cell + tapes.A_END]);
			const namespace = this.#namespace(attributes[cell + tapes.A_NAMESPACE]);
			const attribute = this.#named(nameStart, () => document.createAttributeNS(namespace, attributeName));
			attribute.value = resolveReferences(raw.replace(/\r\n|[\t\r\n]/g, ' '));
			element.setAttributeNodeNS(attribute);
			this.#numbers.set(attribute, attributeNode(i));
			this.#attributes.set(attributeNode(i), attribute);
		}
		return element;
	}

	#namespace(id: number): string | null {
		if (id === 0) return null;
		const { namespaces, charset } = this.#tape;
		const bytes = Buffer.from(namespaces[id], 'latin1');
		return charset.decode(bytes, 0, bytes.length);
	}

	/**
	 * Creates an element or an attribute with a name. Our own scan accepts every byte above ASCII in a name, so it is
	 * only the library that refuses characters that names must not have.
	 */
	#named<T>(at: number, make: () => T): T {
		try {
			return make();
		} catch {
			throw malformedBody('XML', 'a name with a character that no name has', this.#tape.bytes, at);
		}
	}
}
