import { randomUUID } from 'node:crypto';
import { maskCardNumbers } from '../../../base/log/card-numbers.ts';

/**
 * Creates a request id, which is a UUID that the log does not change. About one UUID in a hundred contains so many
 * digits that the log would mask it as a card number, so such a UUID is not used.
 */
export function makeRequestId(): string {
	for (;;) {
		const id = randomUUID();
		if (maskCardNumbers(id) === id) return id;
	}
}
