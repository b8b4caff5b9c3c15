import type { NamedNode } from '../body-format.ts';
import { JSON_KIND, type JsonTape, KEY_END, KEY_START, KIND, NEXT, STRIDE } from './tape.ts';

/**
 * Returns the members of the object `context` with their names or, with `isDeep`, all values inside `context` with
 * theirs. Elements of an array get the name of the array.
 */
export function namedJson(tape: JsonTape, context: number, isDeep: boolean): NamedNode[] {
	const { cells } = tape;
	const end = cells[context * STRIDE + NEXT];
	const found: NamedNode[] = [];
	/** The arrays and objects around the current value: for each, its name and the number of the first value after it. */
	const around: { end: number; name: string }[] = [];
	for (let node = context + 1; node < end; ) {
		const row = node * STRIDE;
		while (around.length > 0 && around[around.length - 1].end <= node) around.pop();
		const isMember = cells[row + KEY_START] >= 0;
		const name = isMember ? keyOf(tape, row) : (around.at(-1)?.name ?? '');
		if (isMember || isDeep) found.push({ name, node });
		if (isDeep) around.push({ end: cells[row + NEXT], name });
		const isArray = cells[context * STRIDE + KIND] === JSON_KIND.ARRAY;
		if (isArray && !isDeep) break;
		node = isDeep ? node + 1 : cells[row + NEXT];
	}
	return found;
}

function keyOf({ bytes, cells, charset }: JsonTape, row: number): string {
	const key = charset.decode(bytes, cells[row + KEY_START], cells[row + KEY_END]);
	return key.includes('\\') ? JSON.parse(`"${key}"`) : key;
}
