// Lists what our payment pages are made of, as they are sent: their headers, and the hashes of the pages, their style
// sheets and their scripts.

import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { type Asset, getAsset } from '../../../base/pages/assets.ts';
import { findLibraryFile, LIBRARY_VERSIONS } from '../../../base/pages/library.ts';
import { answerPage, basePathOf, mayBeFramed, writePage } from '../pages/answer-page.ts';
import { SECURITY_HEADERS } from '../server/security-headers.ts';
import type { HttpSettings } from '../settings.ts';
import { SAMPLE_NAMES, SAMPLES, type SampleName } from './sample-links.ts';
import { type PageSettings, type SamplePages, samplePage } from './sample-pages.ts';

/** Stands for the nonce of a page, which is different each time. */
export const NONCE = '{nonce}';

export interface ListedPage {
	readonly name: SampleName;
	readonly path: string;
	/** The headers that browsers heed, in lower case; the page must have all of them with these values. */
	readonly headers: Readonly<Record<string, string>>;
	/** The hash of the whole sample page, with `{nonce}` in the place of its nonce. */
	readonly page: string;
	readonly scripts: readonly { readonly src: string; readonly integrity: string }[];
	/** The hashes of the style sheets in the page, without those of accounts. */
	readonly styles: readonly string[];
}

export interface ListedFile {
	readonly path: string;
	readonly integrity: string;
	readonly headers: Readonly<Record<string, string>>;
}

export interface IntegrityList {
	readonly pages: readonly ListedPage[];
	/** The scripts of our pages, and the library for the pages of merchants. */
	readonly files: readonly ListedFile[];
}

const SCRIPTS = ['card-form.js', 'card-view.js'];

/** Returns a hash in the spelling of subresource integrity. */
export function integrityOf(content: string | Uint8Array): string {
	return `sha384-${createHash('sha384').update(content).digest('base64')}`;
}

export function integrityList(settings: PageSettings): IntegrityList {
	const basePath = basePathOf(settings.baseUrl);
	const libraries = [...LIBRARY_VERSIONS.map((version) => `tokendrop-${version}.js`), 'tokendrop.js'];
	return {
		pages: SAMPLE_NAMES.map((name) => listedPage(name, settings)),
		files: [
			...SCRIPTS.map((name) => listedFile(basePath + getAsset(name).path, getAsset(name))),
			...libraries.map((name) => listedFile(`${basePath}/lib/${name}`, findLibraryFile(name)!)),
		],
	};
}

function listedPage(name: SampleName, settings: PageSettings): ListedPage {
	const sample = samplePage(name, settings);
	const { headers, text } = writePage(sample, NONCE);
	const { 'x-frame-options': frameOptions, ...others } = SECURITY_HEADERS;
	return {
		name,
		path: basePathOf(settings.baseUrl) + SAMPLES[name].place,
		headers: { ...others, ...(!mayBeFramed(sample) && { 'x-frame-options': frameOptions }), ...headers },
		page: integrityOf(text),
		scripts: sample.page.scripts!.map(({ path, integrity }) => ({ src: sample.basePath + path, integrity })),
		styles: [...text.matchAll(/<style [^>]*>([\s\S]*?)<\/style>/g)].map(([, style]) => integrityOf(style)),
	};
}

function listedFile(path: string, { integrity, contentType }: Pick<Asset, 'integrity' | 'contentType'>): ListedFile {
	const headers = {
		'content-type': contentType,
		'cross-origin-resource-policy': 'cross-origin',
		'x-content-type-options': SECURITY_HEADERS['x-content-type-options'],
	};
	return { path, integrity, headers };
}

// Serves the list of what our payment pages are made of, and samples of the pages that accounts open with a call.

export const LIST_PATH = '/integrity.json';

/** Adds these routes, which are public. */
export function addIntegrityRoutes(
	app: FastifyInstance,
	{ settings }: { settings: Pick<HttpSettings, 'baseUrl' | 'hideSeconds'> },
	samples: SamplePages,
): void {
	const options = { config: { isPublic: true }, schema: { hide: true } } as const;
	// The list is made at the first request, because the public URL is known only once the daemon listens.
	let list: string | undefined;
	app.get(LIST_PATH, options, (_, reply) => {
		list ??= JSON.stringify(integrityList(settings), undefined, 2);
		return reply
			.header('cache-control', 'no-cache')
			.header('access-control-allow-origin', '*')
			.type('application/json; charset=utf-8')
			.send(list);
	});
	for (const name of ['card-form', 'cvv-form'] as const) {
		app.get(`${SAMPLES[name].place}/:secret`, options, async (request, reply) => {
			const sample = await samples.find(name, (request.params as { secret: string }).secret);
			return sample ? answerPage(reply, sample) : reply.callNotFound();
		});
	}
}
