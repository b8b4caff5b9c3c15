import { randomUUID } from 'node:crypto';
import { maskCardNumbers } from '../../log/card-numbers.ts';

/** An id that reads the same in the log: about one UUID in a hundred has digits that would be masked there. */
export function makeRequestId(): string {
	for (;;) {
		const id = randomUUID();
		if (maskCardNumbers(id) === id) return id;
	}
}
