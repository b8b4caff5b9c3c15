// A real browser for pages: whichever Chromium the machine has, without a window.

import type { Browser, Page } from 'playwright-core';
import { getBrowserPath } from './browser-path.ts';

export interface OpenedPage {
	readonly page: Page;
	/** What the page complained about so far: console errors, uncaught exceptions, violations of its policy. */
	readonly complaints: readonly string[];
	/** Hosts that anything was asked of so far, with their ports. */
	hosts(): string[];
}

/** Opens the browser; closed with the test. Every page has cookies and storage of its own. */
export async function openBrowser(t: {
	teardown(release: () => unknown): void;
}): Promise<{ openPage(): Promise<OpenedPage> }> {
	// Loaded by tests that open it: it is large, and a module that awaits while it loads cannot be loaded synchronously.
	const { chromium } = await import('playwright-core');
	const browser: Browser = await chromium.launch({
		executablePath: getBrowserPath(),
		// Containers and root have no sandbox; a proxy of the machine has no business between a test and its daemon.
		args: ['--no-sandbox', '--disable-dev-shm-usage', '--no-proxy-server'],
	});
	t.teardown(() => browser.close());
	return {
		async openPage() {
			const context = await browser.newContext();
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
