// Evaluates XPath with the XPath library, over nodes built from our own tape. The number of visits to nodes is limited.

import fontoxpath, { type IDomFacade } from 'fontoxpath';
import { Document, type Node } from 'slimdom';
import type { Query } from '../body-format.ts';
import { sortOnce } from '../node-order.ts';
import { refusal, UnusableSelector } from '../problems.ts';
import { XmlDocument } from './document.ts';
import { hasElements, isSaid } from './follow.ts';
import * as tapes from './tape.ts';
import { STRIDE, XML_KIND, type XmlTape } from './tape.ts';
import { type PrefixResolver, XPATH_3_1 } from './xpath-ast.ts';

/** All selectors together may visit so many nodes: at worst half a second without any other request. */
const MAX_LOOKS = 500_000;
/**
 * The library copies lists of child nodes to compare their positions. Every copy of this many children counts as one
 * visit to a node, because copying a child takes far less time than a visit.
 */
const COPIED_PER_LOOK = 16;
/**
 * When the library reads a text, every portion of this many characters counts as one further visit to a node, because
 * functions may read long texts again and again.
 */
const CHARACTERS_PER_LOOK = 64;
/**
 * Every evaluation of an expression counts as this many visits to nodes, in addition to the visits that it makes,
 * because an expression is evaluated again for every container.
 */
const LOOKS_PER_QUESTION = 50;

/**
 * Returns a query that the library evaluates. `checkXPath` must have accepted the expression before.
 * @throws UnusableSelector if the library does not accept the expression
 */
export function libraryQuery(expression: string, resolve: PrefixResolver): Query<XmlTape> {
	const options = { language: XPATH_3_1, namespaceResolver: resolve };
	try {
		fontoxpath.evaluateXPathToNodes(expression, new Document(), null, null, options);
	} catch (cause) {
		const [code = 'an error'] = /XP[A-Z]{2}\d{4}/.exec((cause as Error).message) ?? [];
		throw new UnusableSelector(`expected an XPath 3.1 expression whose prefixes the profile declares (${code})`, {
			cause,
		});
	}
	return (tape, context) => {
		tape.document ??= new WalkedDocument(tape);
		const walked = tape.document as WalkedDocument;
		let found: Node[];
		try {
			walked.spend(LOOKS_PER_QUESTION);
			found = fontoxpath.evaluateXPathToNodes(expression, walked.nodeOf(context), walked.facade, null, options);
		} catch {
			// The library's own error is not passed on as the cause: it quotes the value that could not be compared, which
			// may be a card number.
			if (walked.isSpent) throw refusal('a selector of the profile looks at too many nodes of the body');
			throw refusal('a selector of the profile cannot be evaluated on the body');
		}
		return placesOf(tape, walked, found);
	};
}

/**
 * Returns the numbers of those selected nodes that can contain text: first those of elements and text, then those of
 * attributes, both in document order.
 */
function placesOf(tape: XmlTape, walked: WalkedDocument, found: readonly Node[]): number[] {
	const nodes: number[] = [];
	const attributes: number[] = [];
	const leaves = new Map<number, boolean>();
	for (const node of found) {
		const number = walked.numberOf(node);
		if (number === undefined) continue;
		if (number < 0) attributes.push(-number);
		else if (!isText(tape, number)) nodes.push(number);
		else if (isSaid(tape, number)) {
			const parent = tape.cells[number * STRIDE + tapes.PARENT];
			if (!leaves.has(parent)) leaves.set(parent, !hasElements(tape, parent));
			nodes.push(leaves.get(parent) ? parent : number);
		}
	}
	sortOnce(nodes);
	sortOnce(attributes);
	return [...nodes, ...attributes.map((attribute) => -attribute)];
}

function isText({ cells }: XmlTape, number: number): boolean {
	const kind = cells[number * STRIDE + tapes.KIND];
	return kind === XML_KIND.TEXT || kind === XML_KIND.CDATA;
}

/** Counts the visits of the library to nodes, which limits an expression: all it does visits nodes. */
class WalkedDocument extends XmlDocument {
	#looks = 0;

	get isSpent(): boolean {
		return this.#looks > MAX_LOOKS;
	}

	readonly facade = {
		getAllAttributes: (node: { attributes: readonly Node[] }) => this.#many(node.attributes),
		getAttribute: (node: { getAttribute(name: string): string | null }, name: string) =>
			this.#one(node.getAttribute(name)),
		getChildNodes: (node: Node) => this.#many(node.childNodes),
		getData: (node: { data?: string; value?: string }) => this.#text(node.data ?? node.value ?? ''),
		getFirstChild: (node: Node) => this.#one(node.firstChild),
		getLastChild: (node: Node) => this.#one(node.lastChild),
		getNextSibling: (node: Node) => this.#one(node.nextSibling),
		getParentNode: (node: Node & { ownerElement?: Node | null }) => this.#one(node.ownerElement ?? node.parentNode),
		getPreviousSibling: (node: Node) => this.#one(node.previousSibling),
	} as unknown as IDomFacade;

	spend(looks: number): void {
		this.#looks += looks;
		if (this.isSpent) throw new Error('too many nodes were looked at');
	}

	#one<T>(result: T): T {
		this.spend(1);
		return result;
	}

	#text(text: string): string {
		this.spend(1 + text.length / CHARACTERS_PER_LOOK);
		return text;
	}

	#many<T>(result: readonly T[]): readonly T[] {
		this.spend(1 + result.length / COPIED_PER_LOOK);
		return result;
	}
}
