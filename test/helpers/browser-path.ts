// Which browser tests of pages run.

import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** `TOKENDROP_TEST_BROWSER`, or the first Chromium in the path; undefined when there is none. */
export function findBrowserPath(env: NodeJS.ProcessEnv = process.env): string | undefined {
	if (env.TOKENDROP_TEST_BROWSER) return env.TOKENDROP_TEST_BROWSER;
	const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
	return PROGRAMS.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram);
}

/** As `findBrowserPath`. @throws with what to install when there is none */
export function getBrowserPath(env: NodeJS.ProcessEnv = process.env): string {
	const found = findBrowserPath(env);
	if (found !== undefined) return found;
	throw new Error(
		'Tests of pages need a Chromium: install one (on Debian: apt-get install chromium) or name one in TOKENDROP_TEST_BROWSER',
	);
}

function isProgram(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
