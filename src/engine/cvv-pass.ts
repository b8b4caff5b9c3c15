// Handles the CVVs of a tokenizing pass: those of accepted cards become stars and may be kept, and those that belong to no
// card are told.

import type { CardReading } from '../base/card/read-card.ts';
import { lineAt } from '../base/text/line-ends.ts';
import type { CardStore } from '../vault/tokens/trial-store.ts';
import { Finding } from './format.ts';
import { putStars } from './shapes.ts';
import type { Edits } from './splice.ts';

const SHORT_CVVS =
	'Security codes of one or two digits, which have lost their leading zeros and were replaced by stars (store the column as text, not as numbers)';

export class CvvPass {
	readonly #card: CardReading;
	readonly #store: CardStore;
	readonly #keepsCvv: boolean;
	/** The number of CVVs that were starred although their leading zeros are lost. */
	#short = 0;

	constructor(card: CardReading, { store, keepsCvv }: { readonly store: CardStore; readonly keepsCvv: boolean }) {
		this.#card = card;
		this.#store = store;
		this.#keepsCvv = keepsCvv;
	}

	/** Writes stars over the CVV of the card that was just read and accepted. It is kept if CVVs are and the card is new. */
	take(bytes: Buffer, finding: Finding, placement: ReturnType<CardStore['place']>, edits: Edits): void {
		const { cvv } = this.#card;
		if (cvv !== 'readable' && cvv !== 'short') return;
		if (cvv === 'short') this.#short++;
		if (this.#keepsCvv && placement.isNew) {
			const code = this.#card.code()!;
			const { isCvvBare: isBare, cvvStart, cvvEnd } = finding;
			this.#store.addCvv(placement, code, { isBare, text: bytes.subarray(cvvStart, cvvEnd) });
			if (cvv === 'short') code.fill(0);
		}
		putStars(edits, finding);
	}

	/** Returns the CVV of the finding that was just read as a finding of its own, for a number that is not swapped. */
	findLone(bytes: Buffer, finding: Finding): Finding | undefined {
		const { cvv } = this.#card;
		if (cvv !== 'readable' && cvv !== 'short') return undefined;
		const code = new Finding();
		code.isOther = true;
		code.isCode = true;
		code.line = lineAt(bytes, finding.line, finding.numberStart, finding.cvvStart);
		code.numberStart = finding.cvvStart;
		code.numberEnd = finding.cvvEnd;
		code.shape = finding.isCvvBare ? 'otherQuoted' : 'other';
		return code;
	}

	notices(): string[] {
		return this.#short > 0 ? [`${SHORT_CVVS}: ${this.#short}`] : [];
	}
}
