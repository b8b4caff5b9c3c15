import type { BodyFormat, NamedNode, Query } from '../body-format.ts';
import { KnownNames } from '../known-names.ts';
import { followXmlSteps } from './follow.ts';
import { namedXml } from './names.ts';
import { NamespaceScope } from './namespaces.ts';
import { findXmlPlace } from './place.ts';
import { XmlScan } from './scan.ts';
import { XmlTape } from './tape.ts';
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

	named(tape: XmlTape, context: number, isDeep: boolean): NamedNode[] {
		return namedXml(tape, context, isDeep);
	}

	findPlace(tape: XmlTape, node: number) {
		return findXmlPlace(tape, node);
	}
}
