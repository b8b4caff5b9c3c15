import { randomUUID } from 'node:crypto';
import { maskCardNumbers } from '../../../base/log/card-numbers.ts';

const TIME_CHARACTERS = 12;

/**
 * Creates a request id, which is a UUID that the log does not change. It is one of version 7 (RFC 9562), which begins with
 * the time, so that the index by which the audit trail finds calls grows at its end. About one UUID in a hundred contains
 * so many digits that the log would mask it as a card number, so such a UUID is not used.
 */
export function makeRequestId(): string {
	for (;;) {
		const time = Date.now().toString(16).padStart(TIME_CHARACTERS, '0');
		// What follows the version in a UUID of version 4 is random in one of version 7 too.
		const id = `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice('01234567-0123-4'.length)}`;
		if (maskCardNumbers(id) === id) return id;
	}
}
