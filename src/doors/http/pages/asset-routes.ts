// Serves the scripts and style sheets of pages.

import type { FastifyInstance } from 'fastify';
import { findAsset } from '../../../base/pages/assets.ts';
import { findVendorAsset } from '../../../base/pages/vendor-assets.ts';

/** The URL of a file changes with its content, so browsers keep the file for a year and never request it again. */
const FOR_EVER = 'public, max-age=31536000, immutable';

/** Adds the route of these scripts and style sheets, which is public (shapes §11). */
export function addAssets(app: FastifyInstance): void {
	const options = { config: { isPublic: true }, schema: { hide: true } } as const;
	app.get('/assets/:file', options, (request, reply) => {
		const path = `/assets/${(request.params as { file: string }).file}`;
		const asset = findVendorAsset(path) ?? findAsset(path);
		if (!asset) return reply.callNotFound();
		// Other sites embed our pages. Such a site may require `cross-origin-resource-policy` of everything that its
		// pages load, so these files state it.
		reply.headers({
			'cache-control': FOR_EVER,
			'cross-origin-resource-policy': 'cross-origin',
			vary: 'accept-encoding',
		});
		reply.type(asset.contentType);
		if (!/\bgzip\b/i.test(request.headers['accept-encoding'] ?? '')) return reply.send(asset.bytes);
		return reply.header('content-encoding', 'gzip').send(asset.gzipped);
	});
}
