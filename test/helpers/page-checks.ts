// Checks pages of the service in a browser by the rules of axe, and takes pictures of them for the documentation.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const PICTURES = new URL('../../docs/pictures/', import.meta.url);
const PHONE = { width: 390, height: 844 };
const DESKTOP = { width: 1280, height: 800 };
const require = createRequire(import.meta.url);

/** Returns what axe finds wrong with a page, each as a rule and the places where it is broken. */
export async function violationsOf(page: Page): Promise<string[]> {
	await page.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
	return page.evaluate(async () => {
		const { axe } = globalThis as never as { axe: { run(): Promise<{ violations: Violation[] }> } };
		type Violation = { id: string; nodes: { target: unknown[]; failureSummary?: string }[] };
		const { violations } = await axe.run();
		return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.target.join(' ')).join(', ')}`);
	});
}

/** Returns whether the page is wider than its window, so that a reader would have to scroll sideways. */
export function isTooWide(page: Page): Promise<boolean> {
	return page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');
}

/**
 * Takes pictures of a page on a phone and a desktop, if TOKENDROP_TEST_PICTURES is 1: they stand in the documentation. The
 * window has the size of the desktop afterwards in any case, so that what follows sees the same page.
 */
export async function takePictures(page: Page, name: string, desktop = DESKTOP, phone = PHONE): Promise<void> {
	if (process.env.TOKENDROP_TEST_PICTURES !== '1') return page.setViewportSize(desktop);
	for (const [kind, size] of Object.entries({ phone, desktop })) {
		await page.setViewportSize(size);
		const bytes = await page.screenshot({ animations: 'disabled' });
		mkdirSync(PICTURES, { recursive: true });
		writeFileSync(new URL(`${name}-${kind}.png`, PICTURES), bytes);
	}
}
