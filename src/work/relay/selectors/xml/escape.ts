// Escapes and unescapes values in XML.

import { ENTITIES } from '../../../../base/text/xml-text.ts';

const SPECIAL = /[&<>"'\r\n\t]|[^\x20-\ud7ff\ue000-\ufffd]/u;

export function escapeText(text: string): string {
	return SPECIAL.test(text) ? replaceEach(text, (character) => TEXT_REFERENCES[character]) : text;
}

/** Escapes the value of an attribute in the given quotes. */
export function escapeAttribute(text: string, quote: '"' | "'"): string {
	if (!SPECIAL.test(text)) return text;
	return replaceEach(text, (character) => {
		if (character === '"' || character === "'") return character === quote ? QUOTE_REFERENCES[character] : undefined;
		if (character === '\n' || character === '\t') return characterReference(character);
		return TEXT_REFERENCES[character];
	});
}

/**
 * Escapes the content of a CDATA section: if the text contains `]]>`, which would end the section, these characters are
 * split between two sections.
 */
export function escapeCdata(text: string): string {
	return replaceEach(text, () => undefined).replaceAll(']]>', ']]]]><![CDATA[>');
}

/** Returns a character as a reference such as `&#233;`, for charsets that lack the character. */
export function characterReference(character: string): string {
	return `&#${character.codePointAt(0)};`;
}

const TEXT_REFERENCES: Record<string, string | undefined> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };
const QUOTE_REFERENCES = { '"': '&quot;', "'": '&apos;' };

/**
 * Replaces each character for which `referenceOf` returns a reference. Characters that XML does not allow, not even as
 * references, become `?`.
 */
function replaceEach(text: string, referenceOf: (character: string) => string | undefined): string {
	let out = '';
	for (const character of text) out += isXmlCharacter(character) ? (referenceOf(character) ?? character) : '?';
	return out;
}

function isXmlCharacter(character: string): boolean {
	const code = character.codePointAt(0) as number;
	if (code < 0x20) return code === 0x09 || code === 0x0a || code === 0x0d;
	return code < 0xd800 || (code >= 0xe000 && code !== 0xfffe && code !== 0xffff);
}

/** Resolves the references in a text. All of them must be valid, which the scan of the body has checked. */
export function resolveReferences(text: string): string {
	if (!text.includes('&')) return text;
	return text.replace(/&(?:#x([0-9A-Fa-f]+)|#(\d+)|(\w+));/g, (whole, hex, decimal, name) => {
		if (name !== undefined) return ENTITIES[name] ?? whole;
		return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
	});
}
