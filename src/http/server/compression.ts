import { Readable } from 'node:stream';
import { constants } from 'node:zlib';
import type { FastifyCompressOptions } from '@fastify/compress';
import type { FastifyInstance } from 'fastify';

/**
 * Loads the objects that the compression plugin checks for every answer. Node loads them on first use, which would take
 * too long within a request.
 */
void globalThis.Response;

/**
 * Answers of any size are compressed, because a client only has to name an encoding to get a compressed answer
 * (spec §4, shapes §11).
 */
export const COMPRESSION: FastifyCompressOptions = {
	threshold: 0,
	customTypes: /./,
	encodings: ['gzip', 'deflate'],
	globalDecompression: false,
};

/**
 * These settings are for routes whose callers wait for a part of the answer before they send more, so every write has
 * to be readable at once.
 */
export const FLUSHED_COMPRESSION: FastifyCompressOptions = {
	...COMPRESSION,
	zlibOptions: { flush: constants.Z_SYNC_FLUSH },
};

/** An answer larger than this is passed on in pieces of this size. */
const PIECE_BYTES = 65_536;

/**
 * Passes large answers to the compression in pieces, because a whole answer would be copied and compressed at once,
 * while other requests wait. This must be called after the compression was registered, which handles an answer last.
 */
export function packInPieces(app: FastifyInstance): void {
	app.addHook<unknown>('onSend', (request, reply, payload, done) => {
		const isLarge = Buffer.isBuffer(payload) && payload.length > PIECE_BYTES;
		if (!isLarge || request.headers['accept-encoding'] === undefined || request.method === 'HEAD') {
			return done(null, payload);
		}
		// The length is stated for an answer that is not compressed after all; compression removes this header.
		reply.header('content-length', payload.length);
		done(null, Readable.from(piecesOf(payload), { objectMode: false, highWaterMark: PIECE_BYTES }));
	});
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
	for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}
