// Finds the browser in which tests of pages run.

import { findInPath } from './executables.ts';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
/** A Chromium without windows and their services. Pages look and behave the same in it, for half of the processor time. */
const SHELL = 'chromium-headless-shell';

/** Returns `TOKENDROP_TEST_BROWSER`, or the first Chromium in the path; undefined if there is none. */
export function findBrowserPath(env: NodeJS.ProcessEnv = process.env): string | undefined {
	return find(PROGRAMS, env);
}

/** Works as `findBrowserPath`, but prefers a Chromium that only shows pages: it fills in no forms, for example. */
export function findPageBrowserPath(env: NodeJS.ProcessEnv = process.env): string | undefined {
	return find([SHELL, ...PROGRAMS], env);
}

/**
 * Works as `findPageBrowserPath`.
 * @throws an error that says what to install if there is no browser
 */
export function getPageBrowserPath(env: NodeJS.ProcessEnv = process.env): string {
	return required(findPageBrowserPath(env));
}

/**
 * Works as `findBrowserPath`.
 * @throws an error that says what to install if there is no browser
 */
export function getBrowserPath(env: NodeJS.ProcessEnv = process.env): string {
	return required(findBrowserPath(env));
}

function find(programs: readonly string[], env: NodeJS.ProcessEnv): string | undefined {
	if (env.TOKENDROP_TEST_BROWSER) return env.TOKENDROP_TEST_BROWSER;
	return programs.map((name) => findInPath(name, env.PATH ?? '')).find((path) => path !== undefined);
}

function required(found: string | undefined): string {
	if (found !== undefined) return found;
	throw new Error(
		'Tests of pages need a Chromium: install one (on Debian: apt-get install chromium) or name one in TOKENDROP_TEST_BROWSER',
	);
}
