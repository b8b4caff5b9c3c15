import { MAX_JSON_TAPE_BYTES } from '../selectors/json/tape.ts';
import { MAX_XML_TAPE_BYTES } from '../selectors/xml/tape.ts';
import type { BodyTask } from './body-task.ts';

/** Two bytes can be a value of JSON, four an element: what a byte of a body becomes on a tape, at most. */
const TAPE_BYTES_PER_BYTE = 14;

/** What a body of `length` bytes takes besides itself while a task is done with it, at most. */
export function workBytes(task: BodyTask, length: number): number {
	if (task.kind === 'echoes') return length;
	const output = task.kind === 'swap' || task.kind === 'fill' ? length : 0;
	const { body } = task.profile;
	const most = body === 'json' ? MAX_JSON_TAPE_BYTES : body === 'xml' ? MAX_XML_TAPE_BYTES : length;
	return output + Math.min(most, length * TAPE_BYTES_PER_BYTE);
}
