// Serves the library that the pages of merchants load, and its TypeScript types. The files are public (shapes §11).

import type { FastifyInstance } from 'fastify';
import { findLibraryFile } from '../../../base/pages/library.ts';

const FOR_EVER = 'public, max-age=31536000, immutable';
/** A name without a version is the newest one, which an upgrade changes, so browsers ask again after an hour. */
const AN_HOUR = 'public, max-age=3600';

/** Adds the route of the library's files. */
export function addLibrary(app: FastifyInstance): void {
	const options = { config: { isPublic: true }, schema: { hide: true } } as const;
	app.get('/lib/:file', options, (request, reply) => {
		const file = findLibraryFile((request.params as { file: string }).file);
		if (!file) return reply.callNotFound();
		reply.type(file.contentType).headers({
			'cache-control': file.isLasting ? FOR_EVER : AN_HOUR,
			// Browsers load a module from another origin only if its answer allows this by a CORS header. The file
			// holds nothing of any account, so every page may load it.
			'access-control-allow-origin': '*',
			'cross-origin-resource-policy': 'cross-origin',
			vary: 'accept-encoding',
		});
		if (!/\bgzip\b/i.test(request.headers['accept-encoding'] ?? '')) return reply.send(file.bytes);
		return reply.header('content-encoding', 'gzip').send(file.gzipped);
	});
}
