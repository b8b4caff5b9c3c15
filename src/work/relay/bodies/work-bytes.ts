import { MAX_JSON_TAPE_BYTES } from '../selectors/json/tape.ts';
import { MAX_XML_TAPE_BYTES } from '../selectors/xml/tape.ts';
import type { BodyTask } from './body-task.ts';

/**
 * The memory that one byte of a body may take on a tape, the list of the body's values. The worst cases are JSON values
 * of one digit, which take two bytes with the comma, and XML elements of four bytes.
 */
const TAPE_BYTES_PER_BYTE = 14;

/** Returns the most memory that a task needs in addition to a body of `length` bytes while it works on it. */
export function workBytes(task: BodyTask, length: number): number {
	if (task.kind === 'echoes') return length;
	// A profile or a destination is short, and what is made of it lies in the heap of the thread, which has a limit.
	if (!('profile' in task)) return 0;
	const output = task.kind === 'try' ? 0 : length;
	const { body } = task.profile;
	const most = body === 'json' ? MAX_JSON_TAPE_BYTES : body === 'xml' ? MAX_XML_TAPE_BYTES : length;
	return output + Math.min(most, length * TAPE_BYTES_PER_BYTE);
}
