import { Readable } from 'node:stream';
import { constants } from 'node:zlib';
import type { FastifyCompressOptions } from '@fastify/compress';
import type { FastifyInstance } from 'fastify';

/** What packing looks for in every answer. Node loads it when it is first named, which takes too long within a request. */
void globalThis.Response;

/** At any size: clients were told that naming an encoding gets it (spec §4, shapes §11). */
export const COMPRESSION: FastifyCompressOptions = {
	threshold: 0,
	customTypes: /./,
	encodings: ['gzip', 'deflate'],
	globalDecompression: false,
};

/** For routes whose callers wait for a part of the answer before they send more: every write can be read at once. */
export const FLUSHED_COMPRESSION: FastifyCompressOptions = {
	...COMPRESSION,
	zlibOptions: { flush: constants.Z_SYNC_FLUSH },
};

/** Answers beyond this are handed on in pieces of it. */
const PIECE_BYTES = 65_536;

/**
 * Has large answers that are to be packed go there in pieces: a whole one would be copied and handed over in one turn. To be
 * called after packing was registered, for packing looks at an answer last.
 */
export function packInPieces(app: FastifyInstance): void {
	app.addHook<unknown>('onSend', (request, reply, payload, done) => {
		const isLarge = Buffer.isBuffer(payload) && payload.length > PIECE_BYTES;
		if (!isLarge || request.headers['accept-encoding'] === undefined || request.method === 'HEAD') {
			return done(null, payload);
		}
		// Where it is not packed after all; packing takes it away.
		reply.header('content-length', payload.length);
		done(null, Readable.from(piecesOf(payload), { objectMode: false, highWaterMark: PIECE_BYTES }));
	});
}

function* piecesOf(bytes: Buffer): Generator<Buffer> {
	for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}
