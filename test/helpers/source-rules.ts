// Checks rules about the source, and reports every violation as `file:line: reason`.

import type { ExecutionContext } from 'ava';
import { type ImportLine, type SourceFile, sourceFiles } from './source-files.ts';

/** The source files that are shipped. */
export const files = sourceFiles('src', 'formats');

/** Fails the test with one line per violation, if there is any. */
export function none(t: ExecutionContext, violations: string[]): void {
	t.deepEqual(violations, [], `\n${violations.join('\n')}`);
}

/** Returns every import for which `why` has an answer, as `file:line: answer`. */
export function importsThat(why: (file: SourceFile, line: ImportLine) => string | false | undefined): string[] {
	return files.flatMap((file) =>
		file.imports.flatMap((line) => {
			const reason = why(file, line);
			return reason ? [`${file.path}:${line.line}: ${reason}`] : [];
		}),
	);
}

/** Returns every line that a pattern matches, as `file:line: reason`. */
export function linesThat(
	pattern: RegExp,
	reason: string,
	isExempt: (path: string) => boolean = () => false,
): string[] {
	return files
		.filter((file) => !isExempt(file.path))
		.flatMap(({ path, lines }) =>
			lines.flatMap((line, index) => (pattern.test(withoutComment(line)) ? [`${path}:${index + 1}: ${reason}`] : [])),
		);
}

function withoutComment(line: string): string {
	return /^\s*(\/\/|\/?\*)/.test(line) ? '' : line.replace(/\s\/\/ .*$/, '');
}
