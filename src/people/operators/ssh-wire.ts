/** Writes a string with its length in front, as SSH writes every string. */
export function sshString(content: string | Uint8Array): Buffer {
	const bytes = Buffer.from(content as Uint8Array);
	const length = Buffer.alloc(4);
	length.writeUInt32BE(bytes.length);
	return Buffer.concat([length, bytes]);
}

/** Reads strings, each with its length in front, one after the other. */
export class SshReader {
	readonly #bytes: Buffer;
	#at = 0;

	constructor(bytes: Buffer) {
		this.#bytes = bytes;
	}

	/** @throws RangeError if the bytes end before the string does */
	string(): Buffer {
		const start = this.#at + 4;
		const end = start + this.#bytes.readUInt32BE(this.#at);
		if (end > this.#bytes.length) throw new RangeError('the string is cut off');
		this.#at = end;
		return this.#bytes.subarray(start, end);
	}

	get isAtEnd(): boolean {
		return this.#at === this.#bytes.length;
	}
}

/** Returns a positive number in exactly `bytes` bytes, without a sign byte, or undefined if it needs more. */
export function fixedNumber(number: Buffer, bytes: number): Buffer | undefined {
	const first = number.findIndex((byte) => byte !== 0);
	const significant = first < 0 ? Buffer.alloc(0) : number.subarray(first);
	return significant.length > bytes
		? undefined
		: Buffer.concat([Buffer.alloc(bytes - significant.length), significant]);
}

/** Writes a positive number as SSH does: without leading zeros, except one where the first bit would read as a sign. */
export function sshNumber(number: Buffer): Buffer {
	const first = number.findIndex((byte) => byte !== 0);
	const significant = first < 0 ? Buffer.alloc(0) : number.subarray(first);
	return sshString(significant[0] >= 0x80 ? Buffer.concat([Buffer.alloc(1), significant]) : significant);
}
