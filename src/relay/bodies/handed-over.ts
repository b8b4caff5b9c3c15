/** Up to here a buffer may be a part of memory that others share, which must not be handed over. */
const MAX_SHARED_BYTES = 65_536;

/** The bytes for another thread, in memory of their own: that which they have where they are large, a copy where not. */
export function handedOver(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
	const { buffer, byteOffset, byteLength } = bytes;
	if (byteLength <= MAX_SHARED_BYTES || !(buffer instanceof ArrayBuffer)) return new Uint8Array(bytes);
	return new Uint8Array(buffer, byteOffset, byteLength);
}
