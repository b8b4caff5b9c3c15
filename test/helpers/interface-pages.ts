// Reads the sections and rules of docs/interface, by the numbers that citations name.

import { readFileSync } from 'node:fs';

const FOLDER = new URL('../../docs/interface/', import.meta.url);

/** The pages to which a citation leads, by the word before its number. */
export const DOCUMENTS = {
	spec: ['specification.md'],
	shapes: ['shapes.md', 'shapes-5-11.md'],
	formats: ['formats.md'],
} as const satisfies Record<string, readonly string[]>;

export type DocumentName = keyof typeof DOCUMENTS;

export interface Section {
	/** The number of the section, for example `7.4`. */
	readonly number: string;
	/** The numbers of its rules in their order, for example `7.4.1`. */
	readonly rules: string[];
	/** The number of lines that are neither blank nor a heading. */
	lines: number;
}

export interface InterfaceDocument {
	readonly sections: readonly Section[];
	/** The lines on which rules begin, by the numbers of the rules. */
	readonly rules: ReadonlyMap<string, string>;
}

const HEADING = /^#{2,3} §(\d+(?:\.\d+)*) \S/;
/** A rule begins a list item, or is the first cell of a row. */
const RULE = /^(?:- |\| )\*\*(\d+(?:\.\d+)+)\*\*/;

export function readInterface(name: DocumentName): InterfaceDocument {
	return parseInterface(DOCUMENTS[name].map((page) => readFileSync(new URL(page, FOLDER), 'utf8')).join('\n'));
}

export function parseInterface(text: string): InterfaceDocument {
	const sections: Section[] = [];
	const rules = new Map<string, string>();
	for (const line of text.split('\n')) {
		const heading = HEADING.exec(line)?.[1];
		if (heading !== undefined) {
			sections.push({ number: heading, rules: [], lines: 0 });
			continue;
		}
		if (line.trim() === '' || line.startsWith('#')) continue;
		const section = sections.at(-1);
		if (!section) continue;
		section.lines++;
		const rule = RULE.exec(line)?.[1];
		if (rule === undefined) continue;
		section.rules.push(rule);
		rules.set(rule, line);
	}
	return { sections, rules };
}

/** Returns whether there is a section or a rule of this number. */
export function resolves({ sections, rules }: InterfaceDocument, number: string): boolean {
	return rules.has(number) || sections.some((section) => section.number === number);
}
