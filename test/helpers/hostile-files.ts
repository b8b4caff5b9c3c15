// Generates valid files of every format, with all the traps that the layouts have, in any order and combination. They
// are for tests of what must hold for any file.

import type fc from 'fast-check';
import { air, iur } from './hostile-lines.ts';
import { csv, gbt, simplecsv } from './hostile-rows.ts';
import { simplejson, tadc } from './hostile-trees.ts';
import type { GeneratedFile } from './hostile-values.ts';

/** The generator of files of each filter. */
export const HOSTILE_FILES: Readonly<Record<string, fc.Arbitrary<GeneratedFile>>> = {
	AIR: air,
	CSV: csv,
	GBT: gbt,
	IUR: iur,
	SIMPLECSV: simplecsv,
	SIMPLEJSON: simplejson,
	TADC: tadc,
};
