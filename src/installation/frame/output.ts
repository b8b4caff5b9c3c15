import { stripVTControlCharacters } from 'node:util';
import { openProgress, type ProgressUnit, silentProgress } from './progress.ts';

/** Receives text: standard output, standard error, or a test's replacement. */
export interface TextSink {
	write(text: string): unknown;
	readonly isTTY?: boolean | undefined;
	readonly columns?: number | undefined;
}

/** Writes the output of a command: one result on standard output, remarks on standard error. */
export type Output = ReturnType<typeof createOutput>;

export function createOutput(isJson: boolean, stdout: TextSink, stderr: TextSink) {
	let isShown = false;
	return {
		isJson,
		/** Writes the result, once: `value` as one JSON document under `--json`, otherwise `text` for people. */
		show(value: unknown, text: string): void {
			if (isShown) throw new Error('internal error: a command shows one result');
			isShown = true;
			stdout.write(isJson ? `${JSON.stringify(value)}\n` : withNewline(printable(text)));
		},
		/** True if a progress bar would be visible: standard error is a terminal, and `--json` is not given. */
		isWatched: !isJson && stderr.isTTY === true,
		/** Shows a progress bar if standard error is a terminal; does nothing under `--json`. */
		progress: (label: string, unit: ProgressUnit) => (isJson ? silentProgress : openProgress(stderr, label, unit)),
		/** Writes a remark for people; does nothing under `--json`. */
		note(text: string): void {
			if (!isJson) stderr.write(withNewline(printable(text)));
		},
	};
}

/** Returns a table with aligned columns under headings, two blanks apart. */
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

/** Removes control characters, because names may come from clients and must not control the reader's terminal. */
export function printable(text: string): string {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
	return stripVTControlCharacters(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}

/** Writes bytes to standard output. They may be changed when the promise resolves, because they are written then. */
export function toStandardOutput(bytes: Uint8Array): Promise<void> {
	return new Promise((resolve, reject) => {
		process.stdout.write(bytes, (error) => (error ? reject(error) : resolve()));
	});
}

function withNewline(text: string): string {
	return text.endsWith('\n') ? text : `${text}\n`;
}
