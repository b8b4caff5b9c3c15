import { randomUUID } from 'node:crypto';
import { maskCardNumbers } from '../../log/card-numbers.ts';

/**
 * Makes a request id that the log does not change. UUIDs are not used, because about one in a hundred contains so many
 * digits that the log would mask it as a card number.
 */
export function makeRequestId(): string {
	for (;;) {
		const id = randomUUID();
		if (maskCardNumbers(id) === id) return id;
	}
}
