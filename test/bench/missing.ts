// Programs that a benchmark compares with and that a machine may lack: said in the cell, and everything else goes on.

import { findInPath, isExecutable } from '../helpers/executables.ts';
import { SSHD } from '../helpers/programs.ts';
import type { BenchRow } from './table.ts';

/** Those of the programs that are not in the path; sshd is looked for where Debian has it. */
export function findMissingPrograms(...programs: string[]): string[] {
	return programs.filter((program) => (program === 'sshd' ? !isExecutable(SSHD) : findInPath(program) === undefined));
}

/** What a cell says in place of a figure. */
export function tellMissing(missing: readonly string[]): string {
	return `not measured: ${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing`;
}

/** A row without a figure. */
export function missingRow(what: string, missing: readonly string[], target = ''): BenchRow {
	return { what, result: tellMissing(missing), target, figures: [] };
}
