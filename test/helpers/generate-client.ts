// Writes the types of the typed client from the document that the service serves.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { openHttpApp } from './http-app.ts';
import type { OpenApiDocument } from './openapi-document.ts';
import { typesOf } from './openapi-types.ts';

const FILE = new URL('./generated/api.ts', import.meta.url);

/** Returns the types as they must be, generated from the document. */
export async function generateTypes(t: ExecutionContext<unknown>): Promise<string> {
	const { app } = await openHttpApp(t);
	return typesOf((await app.inject({ method: 'GET', url: '/openapi.json' })).json() as OpenApiDocument);
}

/** Returns the file of types as it is now. */
export function readTypes(): string {
	return readFileSync(FILE, 'utf8');
}

async function writeTypes(): Promise<void> {
	const releases: (() => unknown)[] = [];
	const t = { title: 'generate', teardown: (release: () => unknown) => void releases.push(release) };
	try {
		writeFileSync(FILE, await generateTypes(t as unknown as ExecutionContext));
	} finally {
		for (const release of releases.reverse()) await release();
	}
}

if (process.argv[1] === fileURLToPath(import.meta.url)) void writeTypes();
