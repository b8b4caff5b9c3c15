import { decodeJsonText } from '../../../src/base/text/json-escapes.ts';
import { nameText } from '../shown-name.ts';

/** Returns the text of a key as it is between its quotes. */
export function keyText(key: Buffer): string {
	return nameText(key.includes(0x5c) ? decodeJsonText(key, 0, key.length) : key);
}
