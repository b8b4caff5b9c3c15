import type { BodyFormat, NamedNode, Query } from '../body-format.ts';
import { KnownNames } from '../known-names.ts';
import { followXmlSteps } from './follow.ts';
import { NamespaceScope } from './namespaces.ts';
import { findXmlPlace } from './place.ts';
import { XmlScan } from './scan.ts';
import * as tapes from './tape.ts';
import { A_STRIDE, attributeNode, isElement, STRIDE, XmlTape } from './tape.ts';
import { type PrefixResolver, parseXPath, prefixResolver } from './xpath-ast.ts';
import { checkXPath } from './xpath-check.ts';
import { libraryQuery } from './xpath-library.ts';
import { XmlStepCompiler } from './xpath-steps.ts';

/** Selects from XML and SOAP bodies by XPath 3.1. Prefixes are those of the profile, never those of the body. */
export class XmlFormat implements BodyFormat<XmlTape> {
	readonly #names = new KnownNames();
	readonly #namespaces = new NamespaceScope();
	readonly #resolve: PrefixResolver;
	readonly #steps: XmlStepCompiler;
	usesLibrary = false;
	#scan: XmlScan | undefined;

	constructor(namespaces: Readonly<Record<string, string>>) {
		this.#resolve = prefixResolver(namespaces);
		this.#steps = new XmlStepCompiler(this.#names, this.#namespaces, this.#resolve);
	}

	compile(expression: string): Query<XmlTape> {
		const ast = parseXPath(expression);
		const steps = this.#steps.find(ast);
		if (steps !== undefined) return (tape, context) => followXmlSteps(tape, steps, context);
		checkXPath(ast);
		this.usesLibrary = true;
		return libraryQuery(expression, this.#resolve);
	}

	open(bytes: Buffer, contentType: string | undefined): XmlTape {
		this.#scan ??= new XmlScan(new XmlTape(), this.#names, this.#namespaces, this.usesLibrary);
		try {
			return this.#scan.scan(bytes, contentType);
		} catch (error) {
			this.#scan.tape.end();
			throw error;
		}
	}

	close(tape: XmlTape): void {
		tape.end();
	}

	named = namedXml;
	findPlace = findXmlPlace;
}

/**
 * Returns the attributes and the child elements of an element with their local names or, with `isDeep`, all attributes
 * and elements in it.
 */
function namedXml(tape: XmlTape, context: number, isDeep: boolean): NamedNode[] {
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
