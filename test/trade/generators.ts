import { airFile } from './air.ts';
import { delimitedFile } from './delimited.ts';
import { Dice } from './dice.ts';
import type { GeneratedFile } from './draft.ts';
import { iurFile } from './iur.ts';
import { jsonFile } from './json.ts';
import { tadcFile } from './tadc.ts';

const GENERATORS: Record<string, (dice: Dice, seed: string) => GeneratedFile> = {
	AIR: airFile,
	IUR: iurFile,
	TADC: tadcFile,
	GBT: (dice, seed) => delimitedFile('GBT', dice, seed),
	SIMPLECSV: (dice, seed) => delimitedFile('SIMPLECSV', dice, seed),
	SIMPLEJSON: jsonFile,
	CSV: (dice, seed) => delimitedFile('CSV', dice, seed),
};

/** The filters for which there is a generator. */
export const FILTERS = Object.keys(GENERATORS);

/** Generates file `index` of a filter under a seed; each can be generated without the ones before it. */
export function generateFile(filter: string, seed: string, index: number): GeneratedFile {
	const own = `${seed}/${filter}/${index}`;
	return GENERATORS[filter](new Dice(own), own);
}
