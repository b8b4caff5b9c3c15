// Measures hosted forms: what a browser loads, how soon somebody can type, and how many submissions a second are stored
// durably, beside single cards over HTTP.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { LANGUAGE_CODES } from '../src/base/pages/languages/index.ts';
import { type OpenedBrowser, openBrowser } from '../test/helpers/browser.ts';
import { findBrowserPath, getBrowserPath } from '../test/helpers/browser-path.ts';
import { amount, runs } from './amounts.ts';
import { figure, median } from './figures.ts';
import type { HttpLoadResult } from './http-load.ts';
import { formLoad, httpLoad, loadRow } from './loads.ts';
import { missingRow } from './missing.ts';
import type { BenchRow } from './table.ts';
import { Teardowns } from './teardowns.ts';
import { withDaemon } from './with-daemon.ts';

const RUNS = runs(3);
const SECONDS = amount('BENCH_SECONDS', 8);
/** The number of forms: enough for a load that lasts about as long as the others, but no more than a daemon remembers. */
const FORMS = Math.min(SECONDS * 4000, 20_000);
/** Both loads store this many different cards over and over, so that their indexes are of the same size. */
const CARDS = 5000;
const LOADS = 10;
const PATH = '/api/payments/capturecard';

/** Measures the form in a browser and its submissions. */
export async function pagesRows(): Promise<BenchRow[]> {
	const rows = await withDaemon({}, async (url, { apiKey }) => {
		if (findBrowserPath() === undefined) return [missingRow('card entry form in a browser', ['chromium'])];
		await using t = new Teardowns();
		const browser = await openBrowser(t, getBrowserPath());
		return await browserRows(browser, url, apiKey);
	});
	return [...rows, ...(await loadRows())];
}

async function browserRows(browser: OpenedBrowser, url: string, apiKey: string): Promise<BenchRow[]> {
	const formUrl = async (language = 'en') => {
		const headers = { 'x-service-api-key': apiKey };
		const session = await (await fetch(`${url}/api/payments/paycard/tempsession`, { method: 'POST', headers })).text();
		return `${url}${PATH}?language=${language}&sessionToken=${session}`;
	};
	const loads: { bytes: number; readyMs: number; shift: number }[] = [];
	for (let n = 0; n < LOADS; n++) loads.push(await loadOnce(browser, await formUrl()));
	const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
	let violations = 0;
	for (const language of LANGUAGE_CODES) {
		const { page } = await browser.openPage();
		await page.goto(await formUrl(language));
		await page.evaluate(axe);
		violations += (await page.evaluate('axe.run().then(({ violations }) => violations.length)')) as number;
		await page.context().close();
	}
	const bytes = loads.map((each) => each.bytes);
	const readyMs = loads.map((each) => each.readyMs);
	const shifts = loads.map((each) => each.shift);
	return [
		{
			what: 'card entry form, all bytes over the wire with gzip',
			result: `${(median(bytes) / 1000).toFixed(1)} KB`,
			target: '40 KB (15 KB)',
			figures: [figure('pages/form/bytes', 'bytes', bytes, { must: 40_000, aim: 15_000 })],
		},
		{
			what: 'card entry form, ready to type in Chromium',
			result: `${median(readyMs).toFixed(0)} ms`,
			target: '300 ms (120 ms)',
			figures: [figure('pages/form/ready', 'ms', readyMs, { must: 300, aim: 120 })],
		},
		{
			what: `card entry form, layout shift and violations that axe finds in ${LANGUAGE_CODES.length} languages`,
			result: `${Math.max(...shifts)}, ${violations}`,
			target: '0, 0',
			figures: [
				figure('pages/form/shift', 'count', Math.max(...shifts), { must: 0 }),
				figure('pages/form/violations', 'count', violations, { must: 0 }),
			],
		},
	];
}

/** Loads the form once with an empty cache. */
async function loadOnce(browser: OpenedBrowser, address: string) {
	const { page } = await browser.openPage();
	try {
		const session = await page.context().newCDPSession(page);
		await session.send('Network.enable');
		let bytes = 0;
		session.on('Network.loadingFinished', ({ encodedDataLength }) => {
			bytes += encodedDataLength;
		});
		await page.addInitScript(`window.shift = 0;
			new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => { shift += value }))
				.observe({ type: 'layout-shift', buffered: true });`);
		await page.goto(address, { waitUntil: 'networkidle' });
		// The script of the form has run when the event DOMContentLoaded ends, so that somebody can type from then on.
		const readyMs = (await page.evaluate(
			`performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd`,
		)) as number;
		return { bytes, readyMs, shift: (await page.evaluate('shift')) as number };
	} finally {
		await page.context().close();
	}
}

/** Measures submissions and single cards, in turns on the same daemon. */
async function loadRows(): Promise<BenchRow[]> {
	const measured = await withDaemon({}, async (url, { apiKey }) => {
		const forms: HttpLoadResult[] = [];
		const cards: HttpLoadResult[] = [];
		for (let n = 0; n < RUNS; n++) {
			const paths = ['/api/payments/paycard'];
			cards.push(await httpLoad({ url, apiKey, cards: CARDS, isComplete: true, paths, seconds: SECONDS }));
			forms.push(await formLoad({ url, apiKey, forms: FORMS, cards: CARDS }));
		}
		return { forms, cards };
	});
	return [
		loadRow('submit a form, SQLite, durable', 'pages/submit', measured.forms, { target: 'as single cards' }),
		loadRow('store one card with the same fields, beside it', 'pages/store', measured.cards, {
			target: '(to compare with)',
		}),
	];
}
