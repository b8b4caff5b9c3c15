// The buffers in which sealed frames are collected on their way to the disk. A file has two of them: one is filled
// while the other one is written.

import { BufferPool } from '../threads/buffer-memory.ts';
import { BATCH_FRAMES, HEADER_BYTES, SEALED_FRAME_BYTES } from './sealed-file.ts';

const bytesOf = (frames: number) => HEADER_BYTES + frames * SEALED_FRAME_BYTES;

/** At most this many buffers have the full size. When all of them are in use, small ones take their place. */
const MOST_LARGE = 16;
const SMALL_FRAMES = 2;
const large = new BufferPool(bytesOf(BATCH_FRAMES), MOST_LARGE);
const small = new BufferPool(bytesOf(SMALL_FRAMES), 64);

/** Returns a buffer for a header and at least two frames: a large one, unless many files are written at once. */
export function takeBatch(): Buffer {
	return large.lent < MOST_LARGE ? large.take() : small.take();
}

/** Takes back a buffer that `takeBatch` returned. The caller must not use the buffer any more. */
export function putBatch(buffer: Buffer): void {
	if (buffer.length === bytesOf(BATCH_FRAMES)) large.put(buffer);
	else small.put(buffer);
}
