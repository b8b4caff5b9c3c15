// Starts an installation for a test that types what a page of documentation says, as a reader would.

import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import { compileCache } from './compile-cache.ts';
import { startInstallation } from './daemon.ts';
import { makeFolder } from './file-parts.ts';

/**
 * Returns the variables that every page begins with, and a `PATH` in which `tokendrop` is found. `variables` are those of
 * the daemon.
 */
export async function openReader(t: ExecutionContext, variables: Record<string, string> = {}) {
	const { installation, daemon } = await startInstallation(t, { variables });
	const programs = makeFolder(t);
	const tokendrop = join(programs, 'tokendrop');
	const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
	writeFileSync(tokendrop, `#!/bin/sh\nexec '${process.execPath}' '${main}' "$@"\n`);
	chmodSync(tokendrop, 0o755);
	return {
		PATH: `${programs}:${process.env.PATH}`,
		...compileCache,
		...installation.variables,
		BASE: daemon.baseUrl,
		API_KEY: installation.demo.apiKey,
	};
}
