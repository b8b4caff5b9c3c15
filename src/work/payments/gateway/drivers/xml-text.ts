// Implements the part of XML that declared gateways need: writing text into a template, and reading single values from
// an answer.

import sax from 'sax';

const ESCAPES: Readonly<Record<string, string>> = {
	'&': '&amp;',
	'<': '&lt;',
	'>': '&gt;',
	'"': '&quot;',
	"'": '&apos;',
};
// XML 1.0 cannot contain these characters at all, escaped or not.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;
const MAX_DEPTH = 32;

/** This error ends the reading of a document at the first place that makes it unusable. */
class UnusableXml extends Error {
	override readonly name = 'UnusableXml';
}

export function escapeXml(text: string): string {
	return text
		.toWellFormed()
		.replace(FORBIDDEN, '')
		.replace(/[&<>"']/g, (character) => ESCAPES[character]);
}

/**
 * Returns the first text at each path: `/Response/Result` for an element, `/Response/Result/@code` for an attribute;
 * names have no prefix. Returns undefined for a document that is not well-formed or has a type declaration.
 */
export function readXmlValues(text: string, paths: readonly string[]): Map<string, string> | undefined {
	const parser = sax.parser(true, { strictEntities: true } as sax.SAXOptions);
	const wanted = new Set(paths);
	const found = new Map<string, string>();
	const open: { path: string; text: string }[] = [];
	const refuse = () => {
		throw new UnusableXml();
	};
	const put = (path: string, value: string) => {
		if (wanted.has(path) && !found.has(path)) found.set(path, value.trim());
	};
	const addText = (more: string) => {
		const element = open.at(-1);
		if (element) element.text += more;
	};
	parser.onerror = refuse;
	// Refusing DOCTYPE also rules out custom entities and everything built from them.
	parser.ondoctype = refuse;
	parser.onopentag = ({ name, attributes }) => {
		const path = `${open.at(-1)?.path ?? ''}/${localName(name)}`;
		if (open.length === MAX_DEPTH) refuse();
		open.push({ path, text: '' });
		for (const [attribute, value] of Object.entries(attributes)) put(`${path}/@${localName(attribute)}`, String(value));
	};
	parser.ontext = addText;
	parser.oncdata = addText;
	parser.onclosetag = () => {
		const element = open.pop();
		if (element) put(element.path, element.text);
	};
	try {
		parser.write(text).close();
		return found;
	} catch (error) {
		if (error instanceof UnusableXml) return undefined;
		throw error;
	}
}

export function isWellFormed(text: string): boolean {
	return /^\s*</.test(text) && readXmlValues(text, []) !== undefined;
}

function localName(name: string): string {
	return name.slice(name.indexOf(':') + 1);
}
