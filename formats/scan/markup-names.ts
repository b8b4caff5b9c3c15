// Names that XML itself, or a signature in it, gives a meaning to.

const XMLNS = Buffer.from('xmlns:');
const SIGNED_INFO = Buffer.from('SignedInfo');

/** Whether a local name is that of the element every XML signature has. */
export function isSignedInfo(bytes: Buffer, start: number, end: number): boolean {
	return end - start === SIGNED_INFO.length && isAt(bytes, start, SIGNED_INFO);
}

/** Whether the local name at `at` is a prefix that its tag declares: `xmlns:card`. */
export function isNamespace(bytes: Buffer, at: number): boolean {
	return isAt(bytes, at - XMLNS.length, XMLNS);
}

function isAt(bytes: Buffer, at: number, mark: Uint8Array): boolean {
	for (let i = 0; i < mark.length; i++) if (bytes[at + i] !== mark[i]) return false;
	return true;
}
