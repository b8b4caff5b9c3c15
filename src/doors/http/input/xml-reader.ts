// Reads request bodies in XML. They are small (the body limit applies), so a tree of elements is built that keeps their
// order, which some schemas prescribe.

import sax from 'sax';
import { ServiceError } from '../../../base/errors.ts';

export interface XmlElement {
	/** The local name of the element. Any namespace, or none, is accepted (shapes §2). */
	readonly name: string;
	readonly attributes: ReadonlyMap<string, string>;
	readonly children: readonly XmlElement[];
	/** The text directly inside the element, without the blanks around it. */
	readonly text: string;
	/** The text directly inside the element, with the blanks around it. */
	readonly verbatim: string;
}

const MAX_DEPTH = 32;
const MAX_ELEMENTS = 10_000;
const MAX_ATTRIBUTES = 10_000;
/** XML 1.0 cannot contain these characters, but the parser accepts them. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern has to match control characters
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/;

interface OpenElement {
	readonly name: string;
	readonly attributes: ReadonlyMap<string, string>;
	readonly children: XmlElement[];
	text: string;
}

/** @throws ServiceError `message-malformed`, which names the line and the reason but never content */
export function parseXml(text: string): XmlElement {
	const parser = sax.parser(true, { xmlns: false, strictEntities: true } as sax.SAXOptions);
	const open: OpenElement[] = [];
	let root: XmlElement | undefined;
	let elements = 0;
	let attributes = 0;
	const refuse = (reason: string): never => {
		throw new ServiceError('message-malformed', { moreInfo: `line ${parser.line + 1}: ${reason}` });
	};
	const addText = (more: string) => {
		if (FORBIDDEN.test(more)) refuse('a character that XML does not allow');
		const element = open.at(-1);
		if (element) element.text += more;
	};
	parser.onerror = () => refuse('not well-formed XML');
	// A document type is refused, which also rules out custom entities.
	parser.ondoctype = () => refuse('a document type is not allowed');
	parser.onopentag = (tag) => {
		if (open.length === 0 && root) refuse('more than one root element');
		if (open.length === MAX_DEPTH) refuse(`elements nested deeper than ${MAX_DEPTH}`);
		if (++elements > MAX_ELEMENTS) refuse(`more than ${MAX_ELEMENTS} elements`);
		open.push({ name: localName(tag.name), attributes: attributesOf(tag), children: [], text: '' });
	};
	parser.onattribute = () => {
		if (++attributes > MAX_ATTRIBUTES) refuse(`more than ${MAX_ATTRIBUTES} attributes`);
	};
	parser.ontext = addText;
	parser.oncdata = addText;
	parser.onclosetag = () => {
		const element = open.pop()!;
		const done: XmlElement = { ...element, text: element.text.trim(), verbatim: element.text };
		const parent = open.at(-1);
		if (parent) parent.children.push(done);
		else root = done;
	};
	parser.write(text).close();
	return root ?? refuse('no element');
}

/** Returns the attributes of an element by their local names, without the declarations of namespaces. */
function attributesOf(tag: sax.Tag | sax.QualifiedTag): Map<string, string> {
	const attributes = new Map<string, string>();
	for (const [name, value] of Object.entries(tag.attributes)) {
		if (name !== 'xmlns' && !name.startsWith('xmlns:')) attributes.set(localName(name), String(value));
	}
	return attributes;
}

function localName(name: string): string {
	return name.slice(name.indexOf(':') + 1);
}
