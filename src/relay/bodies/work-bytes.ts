import { MAX_JSON_TAPE_BYTES } from '../selectors/json/tape.ts';
import { MAX_XML_TAPE_BYTES } from '../selectors/xml/tape.ts';
import type { BodyTask } from './body-task.ts';

/**
 * The memory that one byte of a body may take on a tape, the list of the body's values. Two bytes can be a JSON value,
 * and four an XML element.
 */
const TAPE_BYTES_PER_BYTE = 14;

/** Returns the most memory that a body of `length` bytes needs besides itself while a task works on it. */
export function workBytes(task: BodyTask, length: number): number {
	if (task.kind === 'echoes') return length;
	const output = task.kind === 'swap' || task.kind === 'fill' ? length : 0;
	const { body } = task.profile;
	const most = body === 'json' ? MAX_JSON_TAPE_BYTES : body === 'xml' ? MAX_XML_TAPE_BYTES : length;
	return output + Math.min(most, length * TAPE_BYTES_PER_BYTE);
}
