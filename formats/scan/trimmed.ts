/** Returns `text[0, length)` without the blanks around it. */
export function trimmed(text: Buffer, length: number): Buffer {
	let start = 0;
	while (start < length && text[start] <= 0x20) start++;
	while (length > start && text[length - 1] <= 0x20) length--;
	return text.subarray(start, length);
}
