// Finds the browser in which tests of pages run.

import { findInPath } from './executables.ts';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** Returns `TOKENDROP_TEST_BROWSER`, or the first Chromium in the path; undefined if there is none. */
export function findBrowserPath(env: NodeJS.ProcessEnv = process.env): string | undefined {
	if (env.TOKENDROP_TEST_BROWSER) return env.TOKENDROP_TEST_BROWSER;
	return PROGRAMS.map((name) => findInPath(name, env.PATH ?? '')).find((path) => path !== undefined);
}

/**
 * Works as `findBrowserPath`.
 * @throws an error that says what to install if there is no browser
 */
export function getBrowserPath(env: NodeJS.ProcessEnv = process.env): string {
	const found = findBrowserPath(env);
	if (found !== undefined) return found;
	throw new Error(
		'Tests of pages need a Chromium: install one (on Debian: apt-get install chromium) or name one in TOKENDROP_TEST_BROWSER',
	);
}
