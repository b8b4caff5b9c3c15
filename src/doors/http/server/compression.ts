import { Readable } from 'node:stream';
import { constants } from 'node:zlib';
import type { FastifyCompressOptions } from '@fastify/compress';
import type { FastifyInstance } from 'fastify';

/**
 * Makes Node load `Response` and what belongs to it when the daemon starts. The compression plugin uses it for every
 * answer, and loading it at the first use would take too long within a request.
 */
void globalThis.Response;

/**
 * Answers of any size are compressed, even very small ones, because a client that names an encoding has to get a
 * compressed answer (spec §4, shapes §11).
 */
export const COMPRESSION: FastifyCompressOptions = {
	threshold: 0,
	customTypes: /./,
	encodings: ['gzip', 'deflate'],
	globalDecompression: false,
};

/**
 * These settings are for routes whose callers wait for a part of the answer before they send more of the request. So
 * everything that is written is passed on at once, and callers can read it.
 */
export const FLUSHED_COMPRESSION: FastifyCompressOptions = {
	...COMPRESSION,
	zlibOptions: { flush: constants.Z_SYNC_FLUSH },
};

/** An answer larger than this is passed on in pieces of this size. */
const PIECE_BYTES = 65_536;

/**
 * Passes large answers to the compression in pieces. Otherwise a whole answer would be copied and compressed at once,
 * while other requests wait. This must be called after the compression was registered. The compression still handles
 * each answer last.
 */
export function packInPieces(app: FastifyInstance): void {
	app.addHook<unknown>('onSend', (request, reply, payload, done) => {
		const isLarge = Buffer.isBuffer(payload) && payload.length > PIECE_BYTES;
		if (!isLarge || request.headers['accept-encoding'] === undefined || request.method === 'HEAD') {
			return done(null, payload);
		}
		// The length is stated for the case that the answer is not compressed after all. If it is compressed, the
		// compression removes this header.
		reply.header('content-length', payload.length);
		done(null, Readable.from(piecesOf(payload), { objectMode: false, highWaterMark: PIECE_BYTES }));
	});
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
	for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}
