// Writes the rules for typed cards as a script for pages: src/work/cardholders/forms/judge-fields.ts and what it needs of other modules,
// without types and comments. The script is checked in, so that whoever runs the service needs no build for it.

import { readFileSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = new URL('../../', import.meta.url);
const TARGET = new URL('src/base/pages/assets/card-rules.js', ROOT);

/** The functions that the scripts of pages use, by the module that exports them. */
const USED: Readonly<Record<string, readonly string[]>> = {
	'src/base/card/ascii-digits.ts': ['asciiDigits'],
	'src/base/card/brand.ts': ['brandLabel', 'choicesOf', 'coBadgesOf'],
	'src/base/card/typed-brand.ts': ['longestOf', 'typedBrandOf'],
	'src/work/cardholders/forms/judge-fields.ts': ['judgeFields', 'judgeStoredCvv'],
};

const HEAD = `// Made of src/work/cardholders/forms/judge-fields.ts by \`npm run generate:card-rules\`; a test compares. Not to be edited.
// @ts-nocheck
import { Buffer } from './buffer.js';
`;

interface Statement {
	readonly text: string;
	/** The name that the statement declares; undefined if it declares none, such as a loop that fills a table. */
	readonly name: string | undefined;
	readonly isExported: boolean;
}

interface Module {
	readonly name: string;
	readonly statements: readonly Statement[];
	/** The imported names, with the module and the name that each has there. */
	readonly imports: ReadonlyMap<string, { readonly module: Module; readonly name: string }>;
	/** The statements that the script needs. */
	readonly needed: Set<Statement>;
}

/** Returns the script as it must be. */
export function generateCardRules(): string {
	const modules = new Map<string, Module>();
	const made = Object.entries(USED).map(([path, names]) => {
		const module = readModule(new URL(path, ROOT), modules);
		for (const name of names) need(module, name);
		return `...${module.name}`;
	});
	// The tables are made when somebody types for the first time, so that the page is ready sooner.
	return [
		HEAD,
		...['let made;\n', 'const rules = () => (made ??= makeRules());\n', 'function makeRules() {\n'],
		...[...modules.values()].map(writeModule),
		`return { ${made.join(', ')} };\n}\n`,
		...Object.values(USED)
			.flat()
			.map((name) => `export const ${name} = (...values) => rules().${name}(...values);\n`),
	].join('');
}

/** Returns the script as it is. */
export function readCardRules(): string {
	return readFileSync(TARGET, 'utf8');
}

/** Reads a module after those that it imports, so that each is behind what it needs. */
function readModule(url: URL, modules: Map<string, Module>): Module {
	const known = modules.get(url.href);
	if (known) return known;
	const name = `${basename(url.pathname, '.ts').replace(/-(\w)/g, (_, letter) => letter.toUpperCase())}Module`;
	const imports: [string, { module: Module; name: string }][] = [];
	const text = plainScript(readFileSync(url, 'utf8')).replace(
		/^import \{([^}]*)\} from '([^']+)';\n/gm,
		(_, what: string, from: string) => {
			// Nothing of Node may be needed. If it is, the name is missing in the script, and its test fails.
			if (from.startsWith('node:')) return '';
			const module = readModule(new URL(from, url), modules);
			for (const each of what.split(',').filter((part) => part.trim() !== '')) {
				const [there, here = there] = each.trim().split(' as ');
				imports.push([here, { module, name: there }]);
			}
			return '';
		},
	);
	const module = { name, statements: statementsOf(text), imports: new Map(imports), needed: new Set<Statement>() };
	modules.set(url.href, module);
	return module;
}

/** Returns a module without types, comments and blank lines. */
function plainScript(source: string): string {
	return stripTypeScriptTypes(source)
		.replace(/^[ \t]*\/\*[\s\S]*?\*\/[ \t]*\n/gm, '')
		.replace(/^[ \t]*\/\/.*\n/gm, '')
		.replace(/(?<=\S) {2,}/g, ' ')
		.replace(/ +(?=[\n,;)])/g, '')
		.replace(/^[ \t]*\n/gm, '');
}

/** Divides a module at the lines that begin a statement, which Biome puts at the margin, but for those of long texts. */
function statementsOf(text: string): Statement[] {
	const found: string[] = [];
	let isInText = false;
	for (const line of text.split('\n').filter((each) => each !== '')) {
		if (!isInText && /^\w/.test(line)) found.push(line);
		else found[found.length - 1] += `\n${line}`;
		if ((line.match(/`/g) ?? []).length % 2 === 1) isInText = !isInText;
	}
	return found.map((each) => {
		const [, exported, name] = /^(export )?(?:const|let|function|class) (\w+)/.exec(each) ?? [];
		return { text: each.replace(/^export /, ''), name, isExported: exported !== undefined };
	});
}

/** Marks what a name needs: its statement, all that this names, and the loops that fill what it declares. */
function need(module: Module, name: string): void {
	const imported = module.imports.get(name);
	if (imported) {
		need(imported.module, imported.name);
		return;
	}
	const own = module.statements.find((each) => each.name === name);
	if (!own || module.needed.has(own)) return;
	const filling = module.statements.filter((each) => each.name === undefined && namesIn(each).has(name));
	for (const statement of [own, ...filling]) {
		module.needed.add(statement);
		for (const each of namesIn(statement)) need(module, each);
	}
}

function namesIn({ text }: Statement): ReadonlySet<string> {
	return new Set(text.match(/(?<![.\w$])[A-Za-z_$][\w$]*/g));
}

/** Writes a module as a function that returns what it exports; an empty text if nothing of it is needed. */
function writeModule({ name, statements, imports, needed }: Module): string {
	if (needed.size === 0) return '';
	const kept = statements.filter((each) => needed.has(each));
	const named = new Set(kept.flatMap((each) => [...namesIn(each)]));
	const imported = [...imports]
		.filter(([here]) => named.has(here))
		.map(([here, there]) => `const ${here} = ${there.module.name}.${there.name};\n`);
	const exported = kept.filter((each) => each.isExported).map((each) => each.name);
	const body = kept.map(({ text }) => `${text}\n`).join('');
	return `const ${name} = (() => {\n${imported.join('')}${body}return { ${exported.join(', ')} };\n})();\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(TARGET, generateCardRules());
