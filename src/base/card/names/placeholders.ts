// Lists what programs and people write in a field that has no value. Files and messages of third parties have it where
// a CVV or an expiry would stand; it means that there is none.

import { isDigit, isLetter } from '../ascii.ts';
import { blankWidth, dashWidth } from '../spelling/blanks.ts';
import { ROOT, WordTree } from './word-tree.ts';

/**
 * Says how a CVV or an expiry is read: `lenient` for files and for messages of third parties, in which a placeholder is
 * no value; `strict` for calls that store one card, lines of a batch and forms (spec §2.4), where it is an error.
 */
export type ReadingRule = 'lenient' | 'strict';

/**
 * Lists the words by who writes them. Case, blanks, signs and accents do not matter: `n/a` is also `N.A.`, `#N/A`, `<NA>`
 * and `NA`, and `\N` is also `N`. `docs/formats/names.md` has this list.
 */
export const PLACEHOLDER_WORDS: Readonly<Record<string, string>> = {
	forms: `MM/YY, MM/YYYY, MM/JJ, MM/JJJJ, MM/AA, MM/AAAA, MM, YY, YYYY, JJ, JJJJ, AA, AAAA, YYYY-MM, MMYY, CVV, CVC`,
	programs: `null, nul, nil, none, nan, nat, undefined, undef, void, empty, blank, default, n/a, \\N, n/v, db null, system.dbnull, no value,
		not set, nothing, false`,
	English: `no, not available, not applicable, not given, not provided, not supplied, not known, not on file, not stored,
		not present, not required, not needed, not captured,
		not collected, not entered, not specified, not recorded, none given, none provided, none supplied, none on file, n/k, n/p, n/s, unknown, missing, absent, pending, open, tba, tbc, tbd, tbn, to be advised,
		to be confirmed, to follow, on request, no cvv, no cvc, no code, no expiry, no date, deleted, removed, redacted, masked,
		hidden, purged, withheld, not avail, not on card, unk, unkn, illegible, unreadable, not legible`,
	German: `k. A., keine Angabe, keine Angaben, keine, kein, keiner, keines, ohne, leer, nein, nicht vorhanden, nicht bekannt, nicht benötigt, nicht erfasst,
		nicht verfügbar, nicht angegeben, n. b., n. vorh., unbekannt, fehlt, offen, folgt, entfällt, gelöscht, kein CVV, falsch, unleserlich, nicht zutreffend, n. z.`,
	French: `aucun, aucune, néant, sans, vide, non, nulle, inconnu, inconnue, manquant, manquante, non renseigné,
		non renseignée, non communiqué, non disponible, non applicable, non fourni, non précisé, non précisée, faux, illisible, pas de code, sans objet, s/o, n/c, n/r, n/d`,
	Spanish: `s/n, s/d, sin, sin dato, sin datos, sin código, ninguno, ninguna, nulo, nula, vacío, vacía, nada, falta, no consta,
		no disponible, no aplica, no informado, desconocido, desconocida, pendiente, falso, ilegible, no tiene, no procede`,
	Italian: `nessuno, nessuna, nullo, nulla, niente, vuoto, assente, senza, manca, mancante, non presente, non disponibile,
		non applicabile, non indicato, non fornito, non previsto, illeggibile, sconosciuto`,
	Portuguese: `nenhum, nenhuma, vazio, vazia, sem, sem dados, não, não disponível, não informado, não aplicável, n/i,
		desconhecido, desconhecida, em falta, não tem, ilegível`,
	'Dutch, Nordic and Polish': `geen, onbekend, nvt, leeg, ingen, inget, ej angivet, ingenting, intet, tom, ukjent, ukendt, okänd, saknas,
		mangler, brak, brak danych, nie dotyczy, nieznany`,
};

/**
 * Lists the years in which a date is none: programs write the first or last day that they know, such as `0001-01-01`,
 * `1899-12-30`, `1900-01-01`, `1970-01-01` and `9999-12-31`.
 */
export const NO_YEARS: ReadonlySet<number> = new Set([1, 1899, 1900, 1970, 9999]);

const ZERO = 0x30;
const HASH = 0x23;
const SMALL_X = 0x78;

/** A letter with an accent is either written without it or left out when the field is read. */
const LETTERS = Object.values(PLACEHOLDER_WORDS)
	.flatMap((words) => words.toLowerCase().split(','))
	.flatMap((word) => [word, word.normalize('NFD')])
	.map((word) => word.replace(/[^a-z]/g, ''));
const WORDS = new WordTree(LETTERS.map((word) => [word, 1]));
const LONGEST = Math.max(...LETTERS.map(({ length }) => length));

/**
 * Tells whether `bytes[start, end)` is a placeholder: nothing but signs, blanks, zeros and the letter x (`-`, `***`,
 * `XX/XX`, `00/0000`, `?`), a word of the table, or an error of a spreadsheet, which begins with `#`. Any other digit
 * makes it a value. Three or four zeros are a placeholder of an expiry, but a CVV may have them: `readCvv` decides.
 */
export function isPlaceholder(bytes: Uint8Array, start: number, end: number): boolean {
	let word = ROOT;
	let length = 0;
	let hasZeros = false;
	let isCrossed = true;
	let hasOthers = false;
	let isError = false;
	for (let at = start; at < end; ) {
		const byte = bytes[at];
		let width = 1;
		if (isLetter(byte)) {
			if (length++ === LONGEST) return false;
			word = WORDS.step(word, byte);
			if ((byte | 0x20) !== SMALL_X) isCrossed = false;
		} else if (isDigit(byte)) {
			if (byte !== ZERO) return false;
			hasZeros = true;
		} else if (byte === HASH) isError ||= length === 0;
		else {
			width = signWidth(bytes, at, end);
			if (width === 0) hasOthers = true;
			width ||= 1;
		}
		at += width;
	}
	if (isError && (length > 0 || !hasOthers)) return true;
	if (isCrossed) return start < end && !hasOthers;
	return !hasZeros && WORDS.values[word] === 1;
}

/** A longer text is not examined, because it may be that of a whole document. */
const LONGEST_TEXT = 64;

/** Tells whether a text is a placeholder. */
export function isPlaceholderText(text: string): boolean {
	if (text.length > LONGEST_TEXT) return false;
	const bytes = Buffer.from(text);
	return isPlaceholder(bytes, 0, bytes.length);
}

/**
 * Returns the width in bytes of the sign or blank at `at`, or 0 if it is part of a letter or digit of another script:
 * those of ASCII, and dashes, dots, bullets and quotes in UTF-8 or Windows-1252.
 */
function signWidth(bytes: Uint8Array, at: number, end: number): number {
	const byte = bytes[at];
	if (byte < 0x80 || (byte >= 0x91 && byte <= 0x97) || byte === 0x85 || byte === 0xb7) return 1;
	const width = blankWidth(bytes, at, end) || dashWidth(bytes, at, end);
	if (width > 0) return width;
	if (byte === 0xc2) return at + 1 < end && bytes[at + 1] === 0xb7 ? 2 : 0;
	// Bullets, also as squares, circles (U+2500 to U+25FF) and signs of mathematics, hide what was typed.
	const isSign = bytes[at + 1] === 0x80 || bytes[at + 1] === 0x88 || (bytes[at + 1] >= 0x94 && bytes[at + 1] <= 0x97);
	return byte === 0xe2 && at + 2 < end && isSign ? 3 : 0;
}
