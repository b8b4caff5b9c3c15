// How rules about the source are told: every violation as `file:line: reason`.

import type { ExecutionContext } from 'ava';
import { type ImportLine, type SourceFile, sourceFiles } from './source-files.ts';

/** Everything that ships. */
export const files = sourceFiles('src', 'formats');

/** Fails with one line per violation. */
export function none(t: ExecutionContext, violations: string[]): void {
	t.deepEqual(violations, [], `\n${violations.join('\n')}`);
}

/** Every import for which `why` has an answer, as `file:line: answer`. */
export function importsThat(why: (file: SourceFile, line: ImportLine) => string | false | undefined): string[] {
	return files.flatMap((file) =>
		file.imports.flatMap((line) => {
			const reason = why(file, line);
			return reason ? [`${file.path}:${line.line}: ${reason}`] : [];
		}),
	);
}

/** Every line that a pattern matches, as `file:line: reason`. */
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
