import type { NumberReading } from '../../base/card/number.ts';

/** A spreadsheet keeps this many digits of a number and writes zeros for the others. */
const KEPT_DIGITS = 15;
/** One number may be mistyped. This many that fail the check digit, with no other number beside them, are not. */
const FEWEST = 2;
const ZERO = 0x30;
const NOTICE =
	'All card numbers of 16 digits or more end in 0 and some fail the check digit, as if a spreadsheet had rounded them: it keeps 15 digits. Format the column as text before the numbers are entered, and export the file again';

/** Notices that a spreadsheet has rounded the card numbers of a file. One instance serves one pass over one file. */
export class RoundedNumbers {
	#isPossible = true;
	#failed = 0;

	/** Takes the next number of a card field. After the first that is not rounded, nothing is looked at any more. */
	take(number: NumberReading, failsCheckDigit: boolean): void {
		if (!this.#isPossible || number.count <= KEPT_DIGITS || number.hasOtherCharacters) return;
		for (let i = KEPT_DIGITS; i < number.count; i++) if (number.digits[i] !== ZERO) this.#isPossible = false;
		if (failsCheckDigit) this.#failed++;
	}

	/** Returns the notice about the file, if the numbers were rounded. */
	notices(): string[] {
		return this.#isPossible && this.#failed >= FEWEST ? [NOTICE] : [];
	}
}
