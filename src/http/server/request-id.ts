import { randomUUID } from 'node:crypto';
import { maskCardNumbers } from '../../log/card-numbers.ts';

/**
 * Makes an id that reads the same in the log: about one UUID in a hundred contains digits that would be masked there.
 */
export function makeRequestId(): string {
	for (;;) {
		const id = randomUUID();
		if (maskCardNumbers(id) === id) return id;
	}
}
