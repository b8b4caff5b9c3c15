// One browser for all tests of a process: to start and stop one costs as much as four pages.

import test, { type ExecutionContext, type Implementation } from 'ava';
import type { BrowserContextOptions } from 'playwright-core';
import { type OpenedBrowser, type OpenedPage, openBrowser } from './browser.ts';
import { testNeeding } from './test-needing.ts';

const releases: (() => unknown)[] = [];
const pageTitles = new Set<string>();
let browser: Promise<OpenedBrowser> | undefined;
test.after.always(async () => {
	for (const release of releases) await release();
});

/** Declares a test that opens pages. Where the machine has no browser it is skipped, and told at the end. */
export function pageTest(title: string, implementation: Implementation<[]>): void {
	pageTitles.add(title);
	testNeeding('a browser (chromium)')(title, implementation);
}

/**
 * Opens a page with cookies and storage of its own. It closes with the test, and so do its connections, for which a service
 * waits before it closes.
 * @throws unless the test was declared by `pageTest`: another would fail on every machine without a browser
 */
export async function openPage(t: ExecutionContext<unknown>, options?: BrowserContextOptions): Promise<OpenedPage> {
	if (!pageTitles.has(t.title)) throw new Error(`declare this test by pageTest: ${t.title}`);
	browser ??= openBrowser({ teardown: (release) => void releases.push(release) });
	const opened = await (await browser).openPage(options);
	t.teardown(() => opened.page.context().close());
	return opened;
}
