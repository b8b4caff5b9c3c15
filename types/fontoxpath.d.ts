// What we use of fontoxpath. Its own declarations bring those of the browser into every file, where names such as
// `CryptoKey` then mean something that Node does not have; tsconfig.json points here instead.

import type { Document, Element, Node } from 'slimdom';

interface Options {
	readonly language: string;
	readonly namespaceResolver?: (prefix: string) => string | null;
}

/** How the library walks a document. */
export interface IDomFacade {
	getAllAttributes(node: Node): readonly Node[];
	getChildNodes(node: Node): readonly Node[];
	getParentNode(node: Node): Node | null;
}

declare const fontoxpath: {
	evaluateXPathToNodes(
		expression: string,
		context: Node,
		facade: IDomFacade | null,
		variables: null,
		options: Options,
	): Node[];
	evaluateXPath: { readonly XPATH_3_1_LANGUAGE: string };
	parseScript(expression: string, options: Options, factory: Document): Element;
};
export default fontoxpath;
