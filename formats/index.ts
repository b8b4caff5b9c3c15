// All formats are listed here explicitly: to add one, add its file and one line here.

import type { Format } from '../src/engine/format.ts';
import { air } from './air/air.ts';
import { csv } from './csv.ts';
import { gbt } from './gbt.ts';
import { iur } from './iur/iur.ts';
import { simplecsv } from './simplecsv.ts';
import { simplejson } from './simplejson.ts';
import { tadc } from './tadc.ts';

/** Holds the formats by filter value (spec §2.8). */
export const formats: ReadonlyMap<string, Format> = new Map(
	[air, csv, gbt, iur, simplecsv, simplejson, tadc].map((format) => [format.filter, format as unknown as Format]),
);
