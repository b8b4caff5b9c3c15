// Shares one browser of each kind among all tests of a process: to start and stop one costs as much as four pages.

import test, { type ExecutionContext, type Implementation } from 'ava';
import type { BrowserContextOptions } from 'playwright-core';
import { type OpenedBrowser, type OpenedPage, openBrowser } from './browser.ts';
import { getBrowserPath, getPageBrowserPath } from './browser-path.ts';
import { testNeeding } from './test-needing.ts';

const releases: (() => unknown)[] = [];
/** The tests that open pages, with the browser that each needs. */
const pageTests = new Map<string, () => string>();
const browsers = new Map<string, Promise<OpenedBrowser>>();
test.after.always(async () => {
	for (const release of releases) await release();
});

/**
 * Declares a test that opens pages. If the machine has no browser, the test is skipped, and listed at the end of `npm
 * test`.
 */
export function pageTest(title: string, implementation: Implementation<[]>): void {
	pageTests.set(title, getPageBrowserPath);
	testNeeding('a browser (chromium)')(title, implementation);
}

/** Works as `pageTest`, in a browser that also fills in forms from its own store. */
export function autofillTest(title: string, implementation: Implementation<[]>): void {
	pageTests.set(title, getBrowserPath);
	testNeeding('a browser with windows, which fills in forms (chromium)')(title, implementation);
}

/**
 * Opens a page with cookies and storage of its own. It closes with the test, and so do its connections, for which a service
 * waits before it closes.
 * @throws unless the test was declared by `pageTest`: another would fail on every machine without a browser
 */
export async function openPage(t: ExecutionContext<unknown>, options?: BrowserContextOptions): Promise<OpenedPage> {
	const path = pageTests.get(t.title)?.();
	if (path === undefined) throw new Error(`declare this test by pageTest: ${t.title}`);
	const browser = browsers.get(path) ?? openBrowser({ teardown: (release) => void releases.push(release) }, path);
	browsers.set(path, browser);
	const opened = await (await browser).openPage(options);
	t.teardown(() => opened.page.context().close());
	return opened;
}
