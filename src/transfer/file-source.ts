import { open } from 'node:fs/promises';

/**
 * A local file as a source of the engine, in pieces of `pieceBytes`. One buffer serves all of them: a stream would make
 * a new one each time, and a large file's worth of garbage with them. A piece is good until the next one is asked for.
 */
export async function* readPieces(path: string, pieceBytes: number): AsyncGenerator<Buffer> {
	const file = await open(path, 'r');
	const buffer = Buffer.allocUnsafeSlow(pieceBytes);
	try {
		for (;;) {
			const { bytesRead } = await file.read(buffer, 0, pieceBytes, null);
			if (bytesRead === 0) return;
			yield buffer.subarray(0, bytesRead);
		}
	} finally {
		buffer.fill(0);
		await file.close();
	}
}
