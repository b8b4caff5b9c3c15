// Reads and writes the memory of a page: the versions of rows that belong to the page, sealed together with its cards.
// If a removed row is put back, its version is lower than the one in the page, so it is recognised.

/** Marks the page's memory: it is written in place of a slot number, and no record has this slot. */
export const MEMORY_SLOT = 0xff;

export interface PageMemory {
	/** A number that increases whenever an association with something on the page is revoked. */
	epoch: number;
	/** For each slot, counts the uses and changes of its CVV, including its end. A slot without any is absent. */
	readonly cvvs: Map<number, number>;
}

const EPOCH_BYTES = 4;
const CVV_BYTES = 5;

export function readMemory(bytes: Buffer): PageMemory {
	const cvvs = new Map<number, number>();
	for (let at = EPOCH_BYTES; at < bytes.length; at += CVV_BYTES) cvvs.set(bytes[at], bytes.readUInt32BE(at + 1));
	return { epoch: bytes.length === 0 ? 0 : bytes.readUInt32BE(0), cvvs };
}

export function writeMemory({ epoch, cvvs }: PageMemory): Buffer {
	const bytes = Buffer.alloc(EPOCH_BYTES + cvvs.size * CVV_BYTES);
	let at = bytes.writeUInt32BE(epoch, 0);
	for (const [slot, version] of cvvs) at = bytes.writeUInt32BE(version, bytes.writeUInt8(slot, at));
	return bytes;
}
