// Measures the portal: uploads beside sFTP, and the time that its pages take on the server, with 10,000,000 tokens, 100,000 jobs
// and 10,000,000 entries of the audit trail.

import { gzipSync } from 'node:zlib';
import type { ExecutionContext } from 'ava';
import { openPortalApp } from '../test/helpers/portal-app.ts';
import { openFullPortal } from '../test/helpers/portal-paths.ts';
import { amount } from './amounts.ts';
import { figure } from './figures.ts';
import { portalUploadRows } from './portal-upload.ts';
import { slowestRow } from './slowest.ts';
import type { BenchRow } from './table.ts';
import { Teardowns } from './teardowns.ts';

export async function portalRows(folder: string): Promise<BenchRow[]> {
	return [...(await portalUploadRows(folder)), ...(await portalPagesRows())];
}

const TOKENS = amount('BENCH_TOKENS', 10_000_000);
const SIZE = { tokens: TOKENS, jobs: TOKENS / 100, entries: TOKENS, accounts: 1_000 };
const GETS = 20;
const MUST_MS = 100;
const AIM_MS = 30;
const MUST_BYTES = 100_000;
const AIM_BYTES = 50_000;

/** Fills a database, which takes a minute or two, and asks for every page several times. */
async function portalPagesRows(): Promise<BenchRow[]> {
	await using t = new Teardowns();
	const parts = await openPortalApp(t as unknown as ExecutionContext, 'sqlite');
	const { paths, get } = await openFullPortal(parts, SIZE);
	const named = paths.map((path) => ({ path, what: path.replace(/[0-9A-Za-z]{26,}/g, 'ID') }));
	const pages = await slowestRow(
		named.map(({ path, what }) => ({ what, figure: `portal/page${what}`, ask: () => get(path) })),
		{
			of: `pages of the portal, ${TOKENS.toLocaleString('en')} tokens`,
			runs: GETS,
			goal: { must: MUST_MS, aim: AIM_MS },
		},
	);
	const bytes = await firstPageBytes(parts.app, await get('/portal'));
	return [
		pages,
		{
			what: 'first page of the portal over the wire',
			result: `${(bytes / 1000).toFixed(1)} KB`,
			target: `${MUST_BYTES / 1000} KB (${AIM_BYTES / 1000})`,
			figures: [figure('portal/first-page', 'bytes', bytes, { must: MUST_BYTES, aim: AIM_BYTES })],
		},
	];
}

/** Returns the bytes of a page with everything that it loads, compressed as over the wire. */
async function firstPageBytes(
	app: Awaited<ReturnType<typeof openPortalApp>>['app'],
	{ body }: { readonly body: string },
): Promise<number> {
	let bytes = gzipSync(body).length;
	for (const [, url] of body.matchAll(/ src="([^"]+)"/g))
		bytes += (await app.inject({ url, headers: { 'accept-encoding': 'gzip' } })).rawPayload.length;
	return bytes;
}
