import { open } from 'node:fs/promises';

/**
 * Reads a local file for the engine in pieces of `pieceBytes`, and reads the next piece while one is used. Two buffers
 * serve all pieces, because a stream would allocate one for each piece and leave a large file's worth of garbage. A
 * piece is valid until the next one is requested.
 */
export async function* readPieces(path: string, pieceBytes: number): AsyncGenerator<Buffer> {
	const file = await open(path, 'r');
	const buffers = [Buffer.allocUnsafeSlow(pieceBytes), Buffer.allocUnsafeSlow(pieceBytes)];
	const read = (turn: number) => {
		const reading = file.read(buffers[turn], 0, pieceBytes, null);
		// A failure is reported when the piece is requested; until then it must not be treated as an unhandled rejection.
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
