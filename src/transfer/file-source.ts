import { open } from 'node:fs/promises';

/**
 * A local file as a source of the engine, in pieces of `pieceBytes`, the next one on its way while one is used. Two
 * buffers serve all of them: a stream would make a new one each time, and a large file's worth of garbage with them.
 * A piece is good until the next one is asked for.
 */
export async function* readPieces(path: string, pieceBytes: number): AsyncGenerator<Buffer> {
	const file = await open(path, 'r');
	const buffers = [Buffer.allocUnsafeSlow(pieceBytes), Buffer.allocUnsafeSlow(pieceBytes)];
	const read = (turn: number) => {
		const reading = file.read(buffers[turn], 0, pieceBytes, null);
		// Its failure is met when the piece is asked for; nobody waits for it before.
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
