// Reads and writes what a page remembers about rows that belong to it. This memory is sealed with the cards. So a row
// that was removed and put back is recognised, because its version is lower than the one in the page.

/** This value is written in place of a slot number to mark the page's memory; no record has it. */
export const MEMORY_SLOT = 0xff;

export interface PageMemory {
	/** A number that increases whenever an association with something on the page is revoked. */
	epoch: number;
	/** For each slot, counts the uses, changes and end of its CVV. A slot is absent if nothing happened to its CVV. */
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
