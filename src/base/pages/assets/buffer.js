// @ts-check

/** Bytes with the one method of Node's Buffer that the rules for cards call, so that pages can run them too. */
export class Buffer extends Uint8Array {
	/**
	 * @param {any} digits a text in ASCII
	 * @returns {any}
	 * @override
	 */
	static from(digits) {
		return new TextEncoder().encode(digits);
	}
}
