// Drives a real browser for tests of pages: any Chromium on the machine, without a window.

import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

export interface OpenedPage {
	readonly page: Page;
	/** The complaints of the page so far: console errors, uncaught exceptions and violations of its content policy. */
	readonly complaints: readonly string[];
	/** The hosts, with their ports, from which the page has requested anything so far. */
	hosts(): string[];
}

export interface OpenedBrowser {
	openPage(options?: BrowserContextOptions): Promise<OpenedPage>;
}

/**
 * Opens the browser of `executablePath` (browser-path.ts), which is closed with the test. Every page has its own cookies
 * and storage.
 */
export async function openBrowser(
	t: { teardown(release: () => unknown): void },
	executablePath: string,
): Promise<OpenedBrowser> {
	// The library is imported only here, because it is large, and because files of tests are loaded synchronously
	// (test/suite/load.ts), which fails for a module that awaits while it loads.
	const { chromium } = await import('playwright-core');
	const browser: Browser = await chromium.launch({
		executablePath,
		// Chromium cannot make its sandbox in a container or for root. A proxy of the machine is not used, because it must
		// not be between a test and its daemon. Pages of invented hosts may call this machine without asking for permission,
		// because nobody would answer. The two omnibox features are off, because with them every window loads the pages of
		// its address bar, which take longer than the pages under test.
		args: [
			'--no-sandbox',
			'--disable-dev-shm-usage',
			'--no-proxy-server',
			'--disable-features=LocalNetworkAccessChecks,WebUIOmniboxPopup,WebUIOmniboxAimPopup',
		],
	});
	t.teardown(() => browser.close());
	return {
		async openPage(options) {
			const context = await browser.newContext(options);
			const page = await context.newPage();
			const complaints: string[] = [];
			const hosts = new Set<string>();
			page.on('console', (message) => {
				if (message.type() === 'error') complaints.push(`console: ${message.text()}`);
			});
			page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
			page.on('request', (request) => {
				const { protocol, host } = new URL(request.url());
				if (/^(https?|wss?):$/.test(protocol)) hosts.add(host);
			});
			await page.exposeFunction('reportViolation', (what: string) => void complaints.push(`policy: ${what}`));
			await page.addInitScript(`addEventListener('securitypolicyviolation', (event) =>
				reportViolation(event.violatedDirective + ' ' + event.blockedURI))`);
			return { page, complaints, hosts: () => [...hosts] };
		},
	};
}
