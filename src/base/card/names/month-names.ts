// Lists the names of the months in the languages of the vocabulary (docs/formats/names.md).

import { utf8Of } from '../plain-text.ts';
import { plainLetters } from './word-tree.ts';

const NAMES = [
	'january januar janner jaenner janvier enero gennaio janeiro',
	'february februar fevrier febrero febbraio fevereiro',
	'march marz maerz mrz mars marzo marco',
	'april avril abril aprile',
	'may mai mayo maggio maio',
	'june juni juin junio giugno junho',
	'july juli juillet julio luglio julho',
	'august aout agosto',
	'september septembre septiembre setiembre settembre setembro',
	'october oktober octobre octubre ottobre outubro',
	'november novembre noviembre novembro',
	'december dezember decembre diciembre dicembre dezembro',
];

/** An abbreviation of a month has at least this many letters. */
const SHORTEST = 3;
const MONTHS = new Map<string, number>();
for (const [index, names] of NAMES.entries()) {
	for (const name of names.split(' ')) {
		for (let length = SHORTEST; length <= name.length; length++) {
			const start = name.slice(0, length);
			// Two months begin with these letters (juin, juillet), so the letters mean neither.
			if (MONTHS.has(start) && MONTHS.get(start) !== index + 1) MONTHS.set(start, 0);
			else MONTHS.set(start, index + 1);
		}
	}
}

/** Returns the month that a name or the beginning of a name means, or 0. The name is in lower case without accents. */
export function monthOfName(name: string): number {
	return MONTHS.get(name) ?? 0;
}

/**
 * Returns the letters of `bytes[start, end)` in lower case and without accents. The bytes are UTF-8 or Windows-1252.
 */
export function plainName(bytes: Uint8Array, start: number, end: number): string {
	return plainLetters(utf8Of(Buffer.from(bytes.subarray(start, end))).toString());
}
