// Decides which names a file may have, and what its name and folder mean.

import { holdsCardNumber } from '../../base/card/spelling/spelled-number.ts';

export const AREAS = ['tokenize', 'tokenized', 'detokenize', 'detokenized', 'reports'] as const;
export type Area = (typeof AREAS)[number];
/** Files are uploaded to these areas. */
export type InputArea = 'tokenize' | 'detokenize';

export function isInputArea(area: Area): area is InputArea {
	return area === 'tokenize' || area === 'detokenize';
}

/** Gives for each input area the area in which the result of a file appears. */
export const OUTPUT_AREA = { tokenize: 'tokenized', detokenize: 'detokenized' } as const satisfies Record<
	InputArea,
	Area
>;

/**
 * Returns the name of the folder that holds the files of routes beside those of a filter. No filter contains the sign, so
 * no door shows this folder: a file that a route collects takes nobody's name, and its output waits for nobody to fetch it.
 */
export function heldFolder(filter: string): string {
	return `${filter}~`;
}

/**
 * A name has at most this many bytes. That leaves space for what is added to names (`.<jobId>.failed`, 34 bytes) within
 * the 255 bytes of most file systems.
 */
const MAX_NAME_BYTES = 200;

const PARTIAL_ENDINGS = ['.filepart', '.partial', '.part', '.tmp'];

/**
 * Tells whether clients use a name of this form for a file that is not complete yet (shapes §10). Closing a file with
 * such a name does not accept it.
 */
export function isPartialName(name: string): boolean {
	const lower = name.toLowerCase();
	return name.startsWith('.') || PARTIAL_ENDINGS.some((ending) => lower.endsWith(ending));
}

/** Why a name that holds a card number is refused. Names are stored in clear and shown in reports. */
export const CARD_IN_NAME = 'file names must not hold card numbers: rename the file and send it again';

/** Returns why a file may not have this name. The text never repeats it, because it may contain a card number. */
export function findNameProblem(name: string): string | undefined {
	if (Buffer.byteLength(name) > MAX_NAME_BYTES) return `file names may have ${MAX_NAME_BYTES} bytes at most`;
	// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters
	if (name === '' || /[/\u0000-\u001f\u007f-\u009f]/.test(name))
		return 'file names must not hold control characters or slashes';
	if (holdsCardNumber(name)) return CARD_IN_NAME;
	return undefined;
}

/**
 * Returns a name with a word before its ending, which begins at the last dot: `may.2.csv`. An output has the id of its job
 * there (shapes §10).
 */
export function nameWith(name: string, word: string | number): string {
	const dot = name.lastIndexOf('.');
	const end = dot > 0 ? dot : name.length;
	return `${name.slice(0, end)}.${word}${name.slice(end)}`;
}

/**
 * Returns the name under which the input of a failed job is listed. The newest input with a name is listed without the
 * job's id, older ones with it.
 */
export function failedName(name: string, jobId?: string): string {
	return jobId === undefined ? `${name}.failed` : `${name}.${jobId}.failed`;
}
