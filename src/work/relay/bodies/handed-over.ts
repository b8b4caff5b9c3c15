/** A buffer up to this size may share a memory pool with others, which must not be transferred. */
const MAX_SHARED_BYTES = 65_536;

/** Returns the bytes in memory that can be transferred to a thread: large ones as they are, small ones copied. */
export function handedOver(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
	const { buffer, byteOffset, byteLength } = bytes;
	if (byteLength <= MAX_SHARED_BYTES || !(buffer instanceof ArrayBuffer)) return new Uint8Array(bytes);
	return new Uint8Array(buffer, byteOffset, byteLength);
}
