// Finds citations of the interface in comments, tests and pages: `spec §7.4`, `shapes §3, §11`, `spec §7.4 and code of
// §7.3`.

import type { DocumentName } from './interface-pages.ts';

export interface Citation {
	/** The line of the citation, counted from 1. */
	readonly line: number;
	/**
	 * The document that the citation names, or else the one that the citation before it named. A word that names no
	 * document is returned as it is. This is undefined if there is no name at all.
	 */
	readonly document: DocumentName | string | undefined;
	readonly number: string;
}

/**
 * Matches a citation with the words before it, because the name of the document is right before it, perhaps on the line
 * before.
 */
const CITATION = /(?:([\p{L}\d.-]+)(?:\s|\n\s*(?:\/\/|\*))+)?§\s?(\d+(?:\.\d+)*)/gu;
/** Matches the name of a foreign document, whose sections cannot be looked up here. */
const FOREIGN = /(?:\bRFC \d+,?|\bXML 1\.0,?|\bdraft-[\w-]+)\s+(?:\*\s|\/\/\s)?$/;
/** Matches the end of a paragraph, of a list item or of a row. */
const BREAK = /\n\s*(?:\n|- |\|)/;
/** Words that may stand before a `§` without being the name of a document. */
const JOINING: ReadonlySet<string> = new Set(['and', 'or', 'to', 'of', 'in', 'by', 'with', 'see', 'for', 'has']);

/**
 * Returns every citation of a text, except those of foreign documents. `own` is the document that the text is a page
 * of; its citations mean that document unless they name another one.
 */
export function findCitations(text: string, own?: DocumentName): Citation[] {
	const found: Citation[] = [];
	/** The document named last. A bare number belongs to it if both are in the same paragraph, item or row. */
	let last: { readonly document: string; readonly end: number } | undefined;
	for (const match of text.matchAll(CITATION)) {
		const { 1: word, 2: number, index } = match;
		const end = index + match[0].length;
		const sign = index + match[0].lastIndexOf('§');
		if (FOREIGN.test(text.slice(Math.max(0, sign - 60), sign))) {
			last = { document: '', end };
			continue;
		}
		const named = word?.toLowerCase();
		const isNamed = named !== undefined && !JOINING.has(named) && !/^\d|\.$/.test(named);
		const inherited = last && !BREAK.test(text.slice(last.end, index)) ? last.document : own;
		const document = isNamed ? named : inherited;
		// A citation after one of a foreign document belongs to that document too.
		if (document === '') continue;
		found.push({ line: text.slice(0, sign).split('\n').length, document, number });
		if (document !== undefined) last = { document, end };
	}
	return found;
}

/** Matches references that no reader of the repository can follow: issues by number, sections by title. */
const ELSEWHERE = /\bissues? #?\d+\b|\b(?:spec|shapes|formats)(?:\.md)?,? (?:"[A-Z]|sections? \d)/gi;

/** Returns where a text has such a reference. */
export function findCitationsElsewhere(text: string): { readonly line: number; readonly what: string }[] {
	return [...text.matchAll(ELSEWHERE)].map(({ 0: what, index }) => ({
		line: text.slice(0, index).split('\n').length,
		what,
	}));
}
