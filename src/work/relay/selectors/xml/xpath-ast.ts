// Reads an XPath expression into a syntax tree, in the form that the library's parser returns (XQueryX).

import fontoxpath from 'fontoxpath';
import { Document, type Element } from 'slimdom';
import { UnusableSelector } from '../problems.ts';

/** The library is a CommonJS module, so all its names are members of its default export. */
export const XPATH_3_1 = fontoxpath.evaluateXPath.XPATH_3_1_LANGUAGE;

/** Returns the namespace for which a prefix stands, or null if the profile does not declare the prefix. */
export type PrefixResolver = (prefix: string) => string | null;

/** Resolves the prefixes that a profile declares, and `xml`. The empty prefix means no namespace. */
export function prefixResolver(namespaces: Readonly<Record<string, string>>): PrefixResolver {
	return (prefix) => {
		if (Object.hasOwn(namespaces, prefix)) return namespaces[prefix];
		if (prefix === 'xml') return 'http://www.w3.org/XML/1998/namespace';
		return prefix === '' ? '' : null;
	};
}

/**
 * Returns the outermost expression of an XPath.
 * @throws UnusableSelector if it is not valid XPath
 */
export function parseXPath(expression: string): Element {
	let script: Element;
	try {
		script = fontoxpath.parseScript(expression, { language: XPATH_3_1 }, new Document());
	} catch (cause) {
		throw new UnusableSelector('expected an XPath 3.1 expression', { cause });
	}
	const mainModule = childOfAst(script, 'mainModule');
	const body = mainModule && childOfAst(mainModule, 'queryBody');
	const outermost = body && childrenOfAst(body)[0];
	if (outermost === undefined || childOfAst(mainModule as Element, 'prolog') !== undefined) {
		throw new UnusableSelector('expected one XPath 3.1 expression');
	}
	return outermost;
}

export function childrenOfAst(ast: Element): Element[] {
	return ast.children as Element[];
}

export function childOfAst(ast: Element, name: string): Element | undefined {
	return childrenOfAst(ast).find(({ localName }) => localName === name);
}

export function attributeOfAst(ast: Element, name: string): string | undefined {
	return ast.attributes.find(({ localName }) => localName === name)?.value;
}
