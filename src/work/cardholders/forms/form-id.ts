// The ids of forms, and how their rows are found by them.

import { randomBytes } from 'node:crypto';

const PREFIX = 'cf_';
const TIME_CHARACTERS = 9;
const RANDOM_BYTES = 32;
/** The width of the columns `hash` of `card_forms` and `form_results`. */
const KEY_CHARACTERS = 64;

/**
 * Creates the id of a form: its time, and random bytes that nobody can guess. Forms that are opened at about the same time
 * are mostly submitted at about the same time too, and thanks to the time their rows are then beside each other. With ids
 * without order, each form that is submitted would change other pages of the database, and a commit writes whole pages.
 */
export function makeFormId(nowMs: number): string {
	const time = nowMs.toString(36).padStart(TIME_CHARACTERS, '0');
	return `${PREFIX}${time}.${randomBytes(RANDOM_BYTES).toString('base64url')}`;
}

/**
 * Returns the text by which the row of a form is found: the time in its id, if it has one, and the hash of the id, of which
 * the 216 bits that fit into the column suffice.
 */
export function keyOf(id: string, hash: string): string {
	const end = PREFIX.length + TIME_CHARACTERS;
	return (id[end] === '.' ? `${id.slice(PREFIX.length, end)}.${hash}` : hash).slice(0, KEY_CHARACTERS);
}
