// Writes the tables of docs/http.md from the definitions of the calls.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import type { Reason } from '../../src/base/errors.ts';
import { type Call, documentPath, methodsOf } from '../../src/doors/http/calls/call.ts';
import { type Content, contentOf } from '../../src/doors/http/calls/content.ts';
import { reasonsOf } from '../../src/doors/http/calls/reasons.ts';
import { TAGS } from '../../src/doors/http/calls/tags.ts';
import { notesOf } from '../../src/doors/http/input/schema-notes.ts';
import { openHttpApp } from './http-app.ts';

const PAGE = new URL('../../docs/http.md', import.meta.url);
const HEAD = '## Calls\n';
/** Reasons that are so common that a row need not mention them. */
const COMMON: ReadonlySet<Reason> = new Set<Reason>([
	...(['bad-input-data', 'system-error', 'row-altered', 'database-unavailable', 'key-store-unavailable'] as const),
	...(['authentication-failed', 'permission-denied', 'allowance-exceeded', 'endpoint-not-found'] as const),
]);
const COLUMNS = '| Call | What it does | Needs | Body | Answer | Reasons |\n|---|---|---|---|---|---|\n';

/**
 * Returns the page as it must be: its own words up to the tables, and the tables.
 * @throws Error when it has no place for them
 */
export async function generateCallsPage(t: ExecutionContext<unknown>): Promise<string> {
	const { app } = await openHttpApp(t);
	const page = readCallsPage();
	const start = page.indexOf(HEAD);
	const firstTable = page.indexOf('\n### ', start);
	if (start < 0 || firstTable < 0) throw new Error('docs/http.md: no place for the tables of calls');
	const tables = Object.entries(TAGS).map(([tag, about]) => {
		const rows = app.calls.filter((call) => call.tag === tag).map(rowOf);
		return rows.length === 0 ? '' : `\n### Calls: ${tag}\n\n${about}\n\n${COLUMNS}${rows.join('')}`;
	});
	return `${page.slice(0, firstTable)}${tables.join('')}`;
}

/** Returns the page as it is now. */
export function readCallsPage(): string {
	return readFileSync(PAGE, 'utf8');
}

function rowOf(call: Call): string {
	const { summary, needs, body, answers, bodyErrors } = call;
	const { credential = 'any', permission, anyPermission, isBillable } = needs;
	const permissions = anyPermission ?? (permission ? [permission] : []);
	const needed = [CREDENTIALS[credential], permissions.map(code).join(' or '), isBillable && 'one unit'].filter(
		Boolean,
	);
	const answered = Object.entries(answers).map(([status, { content }]) =>
		[status, content && shapeOf(content)].filter(Boolean).join(' '),
	);
	const reasons = [...reasonsOf(call)].filter((reason) => !COMMON.has(reason)).sort();
	const cells = [
		`${methodsOf(call).map(code).join(' ')} ${code(documentPath(call))}`,
		summary,
		needed.join(', '),
		body ? shapeOf(contentOf(body)) : '',
		answered.join('; '),
		[...reasons.map(code), ...(bodyErrors === 'listed' ? ['fields'] : [])].join(', '),
	];
	return `| ${cells.join(' | ')} |\n`;
}

const CREDENTIALS = { any: '', 'api-key': 'an API key', 'wallet-session': 'a session of a page', none: 'nothing' };

/** Returns the name of the schema if there is one, or else the content types. */
function shapeOf(content: Content): string {
	const schemas = [content['text/json'], content['application/json'], content['application/x-ndjson']];
	const schema = schemas.find((media) => media !== undefined)?.schema as Schema | undefined;
	if ('*/*' in content) return 'as it is';
	if (schema === undefined || Object.keys(schema).length === 0) return Object.keys(content).map(code).join(', ');
	return nameOf(schema);
}

interface Schema {
	readonly items?: Schema;
	readonly contentSchema?: Schema;
	readonly properties?: object;
	readonly type?: string;
}

function nameOf(schema: Schema): string {
	const { items, contentSchema, properties = {}, type = '' } = schema;
	const { name } = notesOf(schema);
	if (name !== undefined) return code(name);
	if (items) return `list of ${nameOf(items)}`;
	if (contentSchema) return `lines of ${nameOf(contentSchema)}`;
	return Object.keys(properties).map(code).join(', ') || type;
}

function code(text: string): string {
	return `\`${text}\``;
}

async function generate(): Promise<void> {
	const releases: (() => unknown)[] = [];
	const t = { title: 'generate', teardown: (release: () => unknown) => void releases.push(release) };
	try {
		writeFileSync(PAGE, await generateCallsPage(t as unknown as ExecutionContext));
	} finally {
		for (const release of releases.reverse()) await release();
	}
}

// The promise is not awaited here, because a module that tests import may have no `await` at its top (test/suite/load.ts).
if (process.argv[1] === fileURLToPath(import.meta.url)) void generate();
