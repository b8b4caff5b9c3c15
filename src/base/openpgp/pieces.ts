// What a thread for OpenPGP messages sees of the bytes that come and go.

/** Where the bytes of a message come from, and where what is made of them goes. */
export interface Pieces {
	/** Returns the next piece, or undefined when no more follow. */
	next(): Promise<Uint8Array<ArrayBuffer> | undefined>;
	send(bytes: Uint8Array): Promise<void>;
	/** Counts the pieces that were taken or sent. */
	readonly moved: number;
	/** Tells whether a piece is awaited from outside, or its being taken there. */
	readonly isWaiting: boolean;
}

/** Returns the pieces that come as a stream, behind one that has come already. */
export function streamOf(pieces: Pieces, first?: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> {
	let ahead = first;
	return new ReadableStream(
		{
			async pull(controller) {
				const piece = ahead ?? (await pieces.next());
				ahead = undefined;
				if (piece === undefined) controller.close();
				else controller.enqueue(piece);
			},
		},
		{ highWaterMark: 0 },
	);
}
