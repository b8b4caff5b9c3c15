// What a file may be called, and what its name and folder mean.

import { holdsCardNumber } from '../card/spelled-number.ts';

export const AREAS = ['tokenize', 'tokenized', 'detokenize', 'detokenized', 'reports'] as const;
export type Area = (typeof AREAS)[number];
/** Where files are put for work. */
export type InputArea = 'tokenize' | 'detokenize';

export function isInputArea(area: Area): area is InputArea {
	return area === 'tokenize' || area === 'detokenize';
}

/** Where the result of a file put into an area appears. */
export const OUTPUT_AREA = { tokenize: 'tokenized', detokenize: 'detokenized' } as const satisfies Record<
	InputArea,
	Area
>;

/** Leaves room for what is put to names (`.<jobId>.failed`, 34 bytes) within the 255 bytes of most file systems. */
const MAX_NAME_BYTES = 200;

const PARTIAL_ENDINGS = ['.filepart', '.partial', '.part', '.tmp'];

/** A name under which a client sends a file before it is whole (shapes §10): closing it accepts nothing. */
export function isPartialName(name: string): boolean {
	const lower = name.toLowerCase();
	return name.startsWith('.') || PARTIAL_ENDINGS.some((ending) => lower.endsWith(ending));
}

/** Why a file cannot be called so, or undefined. The answer never repeats the name. */
export function findNameProblem(name: string): string | undefined {
	if (Buffer.byteLength(name) > MAX_NAME_BYTES) return `file names may have ${MAX_NAME_BYTES} bytes at most`;
	// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
	if (name === '' || /[/\u0000-\u001f\u007f-\u009f]/.test(name))
		return 'file names must not hold control characters or slashes';
	// Names are kept in clear and shown in reports, so none may be a way past the vault.
	if (holdsCardNumber(name)) return 'file names must not hold card numbers: rename the file and send it again';
	return undefined;
}

/** An output's name of its own: `<stem>.<jobId><ext>` (shapes §10). The extension is what follows the last dot. */
export function nameOfJob(name: string, jobId: string): string {
	const dot = name.lastIndexOf('.');
	const end = dot > 0 ? dot : name.length;
	return `${name.slice(0, end)}.${jobId}${name.slice(end)}`;
}

/** How an input is listed whose job failed: the youngest of its name without the job's id, older ones with it. */
export function failedName(name: string, jobId?: string): string {
	return jobId === undefined ? `${name}.failed` : `${name}.${jobId}.failed`;
}
