// Reads and writes the memory of a page: the versions of the database rows that belong to the page, sealed together
// with its cards. If somebody puts a removed row back, its version is lower than the one in the page, so it is
// recognised as invalid.

/** A number that stands in place of a slot number before the memory of a page. No record has this slot. */
export const MEMORY_SLOT = 0xff;

export interface PageMemory {
	/**
	 * The epoch of the page: a number that increases whenever an association with the page or with one of its records is
	 * revoked.
	 */
	epoch: number;
	/**
	 * The version of the CVV in each slot, which increases when the CVV is used, changed or destroyed. A slot whose CVV
	 * never changed is absent.
	 */
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
