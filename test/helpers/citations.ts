// Citations of the interface in comments, tests and pages: `spec §7.4`, `shapes §3, §11`, `spec §7.4 and code of §7.3`.

import type { DocumentName } from './interface-pages.ts';

export interface Citation {
	/** From 1. */
	readonly line: number;
	/** The document it names, or that the one before it named; what stands there instead of a document; undefined for nothing. */
	readonly document: DocumentName | string | undefined;
	readonly number: string;
}

/** With the words before it: whoever cites names the document right in front, perhaps on the line before. */
const CITATION = /(?:([\p{L}\d.-]+)(?:\s|\n\s*(?:\/\/|\*))+)?§\s?(\d+(?:\.\d+)*)/gu;
/** Documents of others, which nobody can look for here. */
const FOREIGN = /(?:\bRFC \d+,?|\bXML 1\.0,?|\bdraft-[\w-]+)\s+(?:\*\s|\/\/\s)?$/;
/** The end of a paragraph, an item of a list or a row. */
const BREAK = /\n\s*(?:\n|- |\|)/;
/** Between a citation and one that belongs to the same document. */
const JOINING: ReadonlySet<string> = new Set(['and', 'or', 'to', 'of', 'in', 'by', 'with', 'see', 'for', 'has']);

/**
 * Every citation of a text but those of foreign documents. `own` is the document that the text is a page of, which its
 * citations mean unless they name another.
 */
export function findCitations(text: string, own?: DocumentName): Citation[] {
	const found: Citation[] = [];
	/** What a bare number belongs to: the document named last, in the same paragraph, item or row. */
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
		// What belongs to a foreign document is foreign too.
		if (document === '') continue;
		found.push({ line: text.slice(0, sign).split('\n').length, document, number });
		if (document !== undefined) last = { document, end };
	}
	return found;
}

/** Texts that lead to what no reader of the repository has: issues by number, sections by title. */
const ELSEWHERE = /\bissues? #?\d+\b|\b(?:spec|shapes|formats)(?:\.md)?,? (?:"[A-Z]|sections? \d)/gi;

/** Where a text does that. */
export function findCitationsElsewhere(text: string): { readonly line: number; readonly what: string }[] {
	return [...text.matchAll(ELSEWHERE)].map(({ 0: what, index }) => ({
		line: text.slice(0, index).split('\n').length,
		what,
	}));
}
