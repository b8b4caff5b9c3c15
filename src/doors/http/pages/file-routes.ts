// Serves the files that pages load: our scripts and style sheets, and the library for the pages of merchants with its
// TypeScript types. They are public (shapes §11).

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Asset, findAsset } from '../../../base/pages/assets.ts';
import { findLibraryFile } from '../../../base/pages/library.ts';
import { findVendorAsset } from '../../../base/pages/vendor-assets.ts';

/** The URL of a file changes with its content, so browsers keep the file for a year and never request it again. */
const FOR_EVER = 'public, max-age=31536000, immutable';
/** A name without a version is the newest one, which an upgrade changes, so browsers ask again after an hour. */
const AN_HOUR = 'public, max-age=3600';

export function addPageFiles(app: FastifyInstance): void {
	const options = { config: { isPublic: true }, schema: { hide: true } } as const;
	const nameOf = ({ params }: FastifyRequest) => (params as { file: string }).file;
	app.get('/assets/:file', options, (request, reply) => {
		const path = `/assets/${nameOf(request)}`;
		return sendFile(request, reply, findVendorAsset(path) ?? findAsset(path), FOR_EVER);
	});
	app.get('/lib/:file', options, (request, reply) => {
		const file = findLibraryFile(nameOf(request));
		// Browsers load a module from another origin only if its answer allows this by a CORS header. The file holds
		// nothing of any account, so every page may load it.
		if (file) reply.header('access-control-allow-origin', '*');
		return sendFile(request, reply, file, file?.isLasting ? FOR_EVER : AN_HOUR);
	});
}

function sendFile(
	{ headers }: FastifyRequest,
	reply: FastifyReply,
	file: Omit<Asset, 'path'> | undefined,
	cacheControl: string,
) {
	if (!file) return reply.callNotFound();
	reply.type(file.contentType).headers({
		'cache-control': cacheControl,
		// Other sites embed our pages. Such a site may require this of everything that its pages load, so these files
		// state it.
		'cross-origin-resource-policy': 'cross-origin',
		vary: 'accept-encoding',
	});
	if (!/\bgzip\b/i.test(headers['accept-encoding'] ?? '')) return reply.send(file.bytes);
	return reply.header('content-encoding', 'gzip').send(file.gzipped);
}
