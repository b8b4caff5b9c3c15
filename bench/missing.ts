// Finds programs that a benchmark compares with and that a machine may lack. Their cells say so, and the rest is measured.

import { findInPath, isExecutable } from '../test/helpers/executables.ts';
import { SSHD } from '../test/helpers/programs.ts';
import type { BenchRow } from './table.ts';

/** Returns those of the programs that are not in the path; sshd is looked for where Debian has it. */
export function findMissingPrograms(...programs: string[]): string[] {
	return programs.filter((program) => (program === 'sshd' ? !isExecutable(SSHD) : findInPath(program) === undefined));
}

/** Returns what a cell says in place of a figure. */
export function tellMissing(missing: readonly string[]): string {
	return `not measured: ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing`;
}

/** Makes a row that has no figure, and says which programs are missing. */
export function missingRow(what: string, missing: readonly string[], target = ''): BenchRow {
	return { what, result: tellMissing(missing), target, figures: [] };
}
