// Tells what kind of character an ASCII byte is. Bytes above ASCII are of none of these kinds.

export function isDigit(byte: number): boolean {
	return byte >= 0x30 && byte <= 0x39;
}

/** Tells whether a byte continues a character of UTF-8 that began before it. */
export function isContinuation(byte: number): boolean {
	return (byte & 0xc0) === 0x80;
}

/** Counts the characters of UTF-8 text. */
export function countCharacters(bytes: Uint8Array, start = 0, end = bytes.length): number {
	let count = 0;
	for (let i = start; i < end; i++) if (!isContinuation(bytes[i])) count++;
	return count;
}

/** Tells whether a byte is a letter, in either case. */
export function isLetter(byte: number): boolean {
	const small = byte | 0x20;
	return small >= 0x61 && small <= 0x7a;
}

export function isUpperLetter(byte: number): boolean {
	return byte >= 0x41 && byte <= 0x5a;
}

/** Tells whether a byte is a letter in either case, or a digit. */
export function isAlphanumeric(byte: number): boolean {
	return isDigit(byte) || isLetter(byte);
}

/** Tells whether a byte is a hexadecimal digit, in either case. */
export function isHexDigit(byte: number): boolean {
	return isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
}

/** Returns the value of a hexadecimal digit in either case, or -1 if the byte is none. */
export function hexValue(byte: number): number {
	if (isDigit(byte)) return byte - 0x30;
	const small = byte | 0x20;
	return small >= 0x61 && small <= 0x66 ? small - 0x57 : -1;
}

/** Returns a text in which each byte is a character. */
export function latin1(bytes: Uint8Array, start: number, end: number): string {
	return Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1');
}

/** Returns the end of the digits that begin at `at`, which is `at` itself if there are none. */
export function endOfDigits(bytes: Uint8Array, at: number, end: number): number {
	while (at < end && isDigit(bytes[at])) at++;
	return at;
}

/** Tells whether `bytes[start, end)` has nothing but digits. */
export function areDigits(bytes: Uint8Array, start: number, end: number): boolean {
	return endOfDigits(bytes, start, end) >= end;
}

/** Tells whether `bytes[start, end)` has nothing but hexadecimal digits, in either case. */
export function areHexDigits(bytes: Uint8Array, start: number, end: number): boolean {
	while (start < end && isHexDigit(bytes[start])) start++;
	return start >= end;
}

export function isTextAt(bytes: Uint8Array, at: number, text: Uint8Array): boolean {
	for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text[i]) return false;
	return true;
}

/** Tells whether the `width` bytes at `one` and at `other` are the same. */
export function areAlike(bytes: Uint8Array, one: number, other: number, width: number): boolean {
	for (let i = 0; i < width; i++) if (bytes[one + i] !== bytes[other + i]) return false;
	return true;
}

/** Returns the number that `bytes[start, end)` spells in digits, or -1 if there is any other byte. */
export function numberAt(bytes: Uint8Array, start: number, end: number): number {
	let value = 0;
	for (let i = start; value >= 0 && i < end; i++) value = isDigit(bytes[i]) ? value * 10 + bytes[i] - 0x30 : -1;
	return value;
}

export function twoDigitsAt(bytes: Uint8Array, at: number): number {
	return (bytes[at] - 0x30) * 10 + bytes[at + 1] - 0x30;
}

/** Returns a table that holds 1 for each ASCII byte of a text. */
export function tableOf(text: string): Uint8Array {
	const table = new Uint8Array(256);
	for (const byte of Buffer.from(text)) table[byte] = 1;
	return table;
}

export function areFourDigits(bytes: Uint8Array, at: number, end: number): boolean {
	return (
		at + 4 <= end && isDigit(bytes[at]) && isDigit(bytes[at + 1]) && isDigit(bytes[at + 2]) && isDigit(bytes[at + 3])
	);
}

export function isDigitAt(bytes: Uint8Array, at: number, end: number): boolean {
	return at < end && isDigit(bytes[at]);
}

export function isAlphanumericAt(bytes: Uint8Array, at: number, end: number): boolean {
	return at < end && isAlphanumeric(bytes[at]);
}
