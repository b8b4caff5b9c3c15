import { isUtf8 } from 'node:buffer';

const windows1252 = new TextDecoder('windows-1252');

/** Returns text from a file as UTF-8. Text that is not valid UTF-8 is read as Windows-1252, which includes Latin-1. */
export function utf8Of(text: Buffer): Buffer {
	return isUtf8(text) ? text : Buffer.from(windows1252.decode(text));
}
