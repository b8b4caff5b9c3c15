/** Looks for one of a few words at a position, ignoring case. The longest word wins. */
export class Words {
	readonly list: readonly string[];
	readonly #byFirst: (Uint8Array[] | undefined)[] = new Array(256).fill(undefined);
	readonly #indexes = new Map<Uint8Array, number>();

	constructor(words: readonly string[]) {
		this.list = [...new Set(words.map((word) => word.toUpperCase()))].sort((a, b) => b.length - a.length);
		for (const [index, word] of this.list.entries()) {
			const bytes = Buffer.from(word, 'latin1');
			this.#indexes.set(bytes, index);
			(this.#byFirst[bytes[0]] ??= []).push(bytes);
		}
	}

	/** Returns the index into `list` of the word that begins at `at`, or -1. */
	findAt(bytes: Uint8Array, at: number, end: number): number {
		const candidates = this.#byFirst[upper(bytes[at])];
		if (candidates === undefined) return -1;
		for (const word of candidates) {
			if (at + word.length <= end && isWord(bytes, at, word)) return this.#indexes.get(word) ?? -1;
		}
		return -1;
	}
}

function isWord(bytes: Uint8Array, at: number, word: Uint8Array): boolean {
	for (let i = 1; i < word.length; i++) if (upper(bytes[at + i]) !== word[i]) return false;
	return true;
}

function upper(byte: number): number {
	return byte >= 0x61 && byte <= 0x7a ? byte - 0x20 : byte;
}
