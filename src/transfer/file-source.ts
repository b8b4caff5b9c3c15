import { open } from 'node:fs/promises';

/**
 * Reads a local file for the engine in pieces of `pieceBytes`, and reads the next piece while the engine uses the
 * current one. Two buffers serve all pieces; a stream would allocate a new buffer for each piece, which adds up to the
 * size of the file. A piece is valid until the next one is requested.
 */
export async function* readPieces(path: string, pieceBytes: number): AsyncGenerator<Buffer> {
	const file = await open(path, 'r');
	const buffers = [Buffer.allocUnsafeSlow(pieceBytes), Buffer.allocUnsafeSlow(pieceBytes)];
	const read = (turn: number) => {
		const reading = file.read(buffers[turn], 0, pieceBytes, null);
		// If reading fails, the caller gets the error when it requests this piece. Until then, the error must not count as
		// an unhandled rejection, which would end the process.
		reading.catch(() => {});
		return reading;
	};
	let next = read(0);
	try {
		for (let turn = 0; ; turn = 1 - turn) {
			const { bytesRead } = await next;
			if (bytesRead === 0) return;
			next = read(1 - turn);
			yield buffers[turn].subarray(0, bytesRead);
		}
	} finally {
		await next.catch(() => {});
		for (const buffer of buffers) buffer.fill(0);
		await file.close();
	}
}
