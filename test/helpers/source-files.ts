import { readdirSync, readFileSync } from 'node:fs';

const ROOT = new URL('../../', import.meta.url);

export interface ImportLine {
	/** The number of the line, counted from 1. */
	readonly line: number;
	/** A path from the root (`src/base/card/luhn.ts`), or a package's or built-in module's name. */
	readonly target: string;
	/** Whether it is an `import type`, which loads nothing. */
	readonly isType: boolean;
	/** Whether it is an `import()`, which loads only when it is reached. */
	readonly isLazy: boolean;
}

export interface SourceFile {
	/** The path from the root, for example `src/base/card/luhn.ts`. */
	readonly path: string;
	readonly lines: readonly string[];
	readonly imports: readonly ImportLine[];
}

/** Returns every TypeScript file below the given folders of the repository. */
export function sourceFiles(...folders: string[]): SourceFile[] {
	return folders.flatMap((folder) => {
		const names = readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' });
		const paths = names.filter((name) => name.endsWith('.ts')).map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
		return paths.sort().map(readSource);
	});
}

function readSource(path: string): SourceFile {
	const lines = readFileSync(new URL(path, ROOT), 'utf8').split('\n');
	if (lines.at(-1) === '') lines.pop();
	return { path, lines, imports: importsOf(path, lines.join('\n')) };
}

/**
 * Patterns of `import … from '…'`, `import '…'`, `export … from '…'` and `import('…')`, each over as many lines as it
 * takes.
 */
const IMPORTS = [
	/^import\s(?<what>[\w\s{},*$]*?)(?:\bfrom\s)?'(?<target>[^']+)'/gm,
	/^export\s(?<what>(?:type\s)?[{*][\w\s{},*$]*?)\bfrom\s'(?<target>[^']+)'/gm,
	/\bimport\(\s*'(?<target>[^']+)'/g,
];

function importsOf(path: string, text: string): ImportLine[] {
	const found = IMPORTS.flatMap((pattern) => [...text.matchAll(pattern)]);
	return found.map((match) => {
		const { what, target } = match.groups as { what?: string; target: string };
		const line = text.slice(0, match.index + match[0].length).split('\n').length;
		const isType = what !== undefined && (/^type\s/.test(what.trim()) || (what.includes('{') && everyNameIsType(what)));
		return { line, target: resolved(path, target), isType, isLazy: what === undefined };
	});
}

function everyNameIsType(what: string): boolean {
	const names = what
		.replace(/[{}]/g, '')
		.split(',')
		.map((name) => name.trim());
	return names.every((name) => name === '' || name.startsWith('type '));
}

function resolved(path: string, specifier: string): string {
	if (!specifier.startsWith('.')) return specifier;
	return new URL(specifier, `file:///${path}`).pathname.slice(1);
}
