import { stripVTControlCharacters } from 'node:util';
import { openProgress, type Progress, type ProgressUnit, silentProgress } from './progress.ts';

/** Where text goes; standard output or error, or a double. */
export interface TextSink {
	write(text: string): unknown;
	/** Whether somebody looks on. */
	readonly isTTY?: boolean | undefined;
	readonly columns?: number | undefined;
}

/** How a command speaks: one result on standard output, remarks on standard error. */
export interface Output {
	readonly isJson: boolean;
	/** The result, once: `value` as one JSON document under `--json`, `text` for people otherwise. */
	show(value: unknown, text: string): void;
	/** A remark for people; silent under `--json`. */
	note(text: string): void;
	/** Whether a bar would be seen. */
	readonly isWatched: boolean;
	/** A bar on standard error where that is a terminal; nothing under `--json`. */
	progress(label: string, unit: ProgressUnit): Progress;
}

/** Writes results to `stdout`, remarks to `stderr`. */
export function createOutput(isJson: boolean, stdout: TextSink, stderr: TextSink): Output {
	let isShown = false;
	return {
		isJson,
		show(value, text) {
			if (isShown) throw new Error('internal error: a command shows one result');
			isShown = true;
			stdout.write(isJson ? `${JSON.stringify(value)}\n` : withNewline(printable(text)));
		},
		isWatched: !isJson && stderr.isTTY === true,
		progress: (label, unit) => (isJson ? silentProgress : openProgress(stderr, label, unit)),
		note(text) {
			if (!isJson) stderr.write(withNewline(printable(text)));
		},
	};
}

/** Columns under headings, two blanks apart. */
export function table(headings: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
	const lines = [headings, ...rows].map((row) => row.map((cell) => printable(String(cell ?? '-')).replace(/\n/g, ' ')));
	const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
	return lines
		.map((line) =>
			line
				.map((cell, column) => cell.padEnd(widths[column]))
				.join('  ')
				.trimEnd(),
		)
		.join('\n');
}

/** Text without control characters: names in it may come from clients and must not drive the reader's terminal. */
export function printable(text: string): string {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
	return stripVTControlCharacters(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}

function withNewline(text: string): string {
	return text.endsWith('\n') ? text : `${text}\n`;
}
