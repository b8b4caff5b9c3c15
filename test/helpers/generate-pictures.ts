// Takes the pictures of the portal's pages in docs/pictures: each page in three widths, light and dark.
// `npm run generate:pictures files job` takes those of these pages only.

import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { openBrowser } from './browser.ts';
import { getPageBrowserPath } from './browser-path.ts';
import { openPortalApp } from './portal-app.ts';
import { openScene, SCENE_INSTALLATION, type Scene, type ScenePage } from './portal-scene.ts';

const FOLDER = new URL('../../docs/pictures/', import.meta.url);
const SIZES = [
	{ width: 375, height: 667 },
	{ width: 768, height: 540 },
	{ width: 1280, height: 640 },
] as const;
const SCHEMES = ['light', 'dark'] as const;
/** Pages are text on plain ground, which stays sharp at this quality, and all of them together stay small. */
const QUALITY = 5;
const MOST_BYTES = 60_000;
const MOST_BYTES_TOGETHER = 5_000_000;

type Release = () => unknown;

/** Takes the pictures of the pages with these names, or of all pages if there are none. */
async function generatePictures(names: readonly string[], teardown: (release: Release) => void): Promise<void> {
	// The parts of a test stop with it; here, with this script.
	const t = { teardown } as ExecutionContext<unknown>;
	const parts = await openPortalApp(t, 'sqlite', SCENE_INSTALLATION);
	await parts.app.listen({ host: '127.0.0.1', port: 0 });
	const base = `http://127.0.0.1:${(parts.app.server.address() as AddressInfo).port}`;
	const scene = await openScene(parts, base);
	const browser = await openBrowser(t, getPageBrowserPath());
	const pages = scene.pages.filter(({ name }) => names.length === 0 || names.includes(name));
	if (names.length === 0) removePictures();
	for (const viewport of SIZES)
		for (const colorScheme of SCHEMES) {
			const look = { viewport, colorScheme, locale: 'en', timezoneId: 'UTC' } as const;
			await takePictures({ browser, base, scene }, pages, look);
		}
	const together = readdirSync(FOLDER).reduce((sum, name) => sum + statSync(new URL(name, FOLDER)).size, 0);
	if (together > MOST_BYTES_TOGETHER) throw new Error(`all pictures have ${together} bytes`);
}

async function takePictures(
	{ browser, base, scene }: { browser: Awaited<ReturnType<typeof openBrowser>>; base: string; scene: Scene },
	pages: readonly ScenePage[],
	look: { readonly viewport: (typeof SIZES)[number]; readonly colorScheme: (typeof SCHEMES)[number] },
): Promise<void> {
	const end = `${look.viewport.width}${look.colorScheme === 'dark' ? '-dark' : ''}.webp`;
	for (const who of new Set(pages.map((each) => each.who))) {
		const { page } = await browser.openPage(look);
		if (who !== 'nobody') {
			const [name, value] = scene.people[who].cookie.split('=', 2);
			await page.context().addCookies([{ name, value, url: base, httpOnly: true, sameSite: 'Lax' }]);
		}
		for (const { name, path } of pages.filter((each) => each.who === who)) {
			const answer = await page.goto(base + path);
			if (answer?.status() !== 200) throw new Error(`${path}: ${answer?.status()}`);
			const bytes = await pictureOf(page);
			if (bytes.length > MOST_BYTES) throw new Error(`${name}-${end} has ${bytes.length} bytes`);
			writeFileSync(new URL(`portal-${name}-${end}`, FOLDER), bytes);
		}
		await page.context().close();
	}
}

/** Returns a picture of what the window shows. Playwright itself makes no pictures in this format, which is half the size. */
async function pictureOf(page: Page): Promise<Buffer> {
	if ((await page.locator('.plot').count()) > 0) await page.locator('.plot canvas').first().waitFor();
	const session = await page.context().newCDPSession(page);
	const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: QUALITY });
	await session.detach();
	return Buffer.from(data, 'base64');
}

/** Removes the pictures of the portal, so that none stays of a page that is gone. */
function removePictures(): void {
	for (const name of readdirSync(FOLDER)) if (/^portal-.*\.webp$/.test(name)) rmSync(new URL(name, FOLDER));
}

const releases: Release[] = [];
try {
	await generatePictures(process.argv.slice(2), (release) => releases.unshift(release));
} finally {
	for (const release of releases) await release();
}
