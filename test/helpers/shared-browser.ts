// One browser for all tests of a process: to start and stop one costs as much as four pages.

import test, { type ExecutionContext } from 'ava';
import type { BrowserContextOptions } from 'playwright-core';
import { type OpenedBrowser, type OpenedPage, openBrowser } from './browser.ts';

const releases: (() => unknown)[] = [];
let browser: Promise<OpenedBrowser> | undefined;
test.after.always(async () => {
	for (const release of releases) await release();
});

/**
 * Opens a page with cookies and storage of its own. It closes with the test, and so do its connections, for which a service
 * waits before it closes.
 */
export async function openPage(t: ExecutionContext<unknown>, options?: BrowserContextOptions): Promise<OpenedPage> {
	browser ??= openBrowser({ teardown: (release) => void releases.push(release) });
	const opened = await (await browser).openPage(options);
	t.teardown(() => opened.page.context().close());
	return opened;
}
