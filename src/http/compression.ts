import { constants } from 'node:zlib';
import type { FastifyCompressOptions } from '@fastify/compress';

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
