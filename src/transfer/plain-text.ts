import { isUtf8 } from 'node:buffer';

const windows1252 = new TextDecoder('windows-1252');

/** A text out of a file as UTF-8. What is no UTF-8 is taken for Windows-1252, of which Latin-1 is a part. */
export function utf8Of(text: Buffer): Buffer {
	return isUtf8(text) ? text : Buffer.from(windows1252.decode(text));
}

/** At most so many bytes of a UTF-8 text, the last character whole. */
export function cutUtf8(text: Buffer, maxBytes: number): Buffer {
	if (text.length <= maxBytes) return text;
	let end = maxBytes;
	while (end > 0 && (text[end] & 0xc0) === 0x80) end--;
	return text.subarray(0, end);
}
