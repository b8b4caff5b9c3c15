// Removes card data and credentials from the texts of providers, because these texts may quote what was sent.

import { maskBeginning } from '../../../base/log/masked-beginning.ts';
import { MASK } from '../../../base/settings/secret.ts';
import type { GatewayCard, Outcome } from './operation.ts';

const MAX_TEXT_CHARACTERS = 255;
/** Only secrets with at least this many characters are searched for, because a shorter one could occur by chance. */
const MIN_SECRET_CHARACTERS = 8;

/** Holds the confidential values that were sent to a provider and must not remain in any text from it. */
export interface Confidential {
	readonly card?: GatewayCard;
	readonly secrets: readonly string[];
}

/** Returns the outcome with texts without card number, CVV or credential, which fit the journal and databases. */
export function scrubOutcome(outcome: Outcome, confidential: Confidential): Outcome {
	const free = (text: string | null) => text && scrubText(text, confidential);
	const code = (text: string | null) => text && scrubReference(text, confidential);
	return {
		result: outcome.result,
		description: scrubText(outcome.description, confidential),
		gatewayReference: code(outcome.gatewayReference),
		gatewayResultCode: code(outcome.gatewayResultCode),
		gatewayResultDescription: free(outcome.gatewayResultDescription),
		authorizationCode: code(outcome.authorizationCode),
	};
}

function scrubText(text: string, confidential: Confidential): string {
	const cvv = confidential.card?.cvv?.reveal();
	let clean = withoutSent(text, confidential);
	// The CVV is replaced only as a word of its own, because three digits occur in many harmless texts.
	if (cvv) clean = clean.replace(new RegExp(`(?<!\\d)${cvv}(?!\\d)`, 'g'), '***');
	return maskBeginning(clean, MAX_TEXT_CHARACTERS).toWellFormed();
}

/**
 * References and codes are kept unchanged, even if they have 16 digits like a card number, because later calls name the
 * payment by them. Only values that we sent are removed.
 */
function scrubReference(text: string, confidential: Confidential): string {
	// The cut at the maximum length may leave half of a character, which is replaced.
	return withoutSent(text, confidential).slice(0, MAX_TEXT_CHARACTERS).toWellFormed();
}

/**
 * Removes the values that were sent. The whole text is searched before it is cut, because a value that the cut divides
 * would not be found any more.
 */
function withoutSent(text: string, { card, secrets }: Confidential): string {
	let clean = text.replaceAll('\0', '');
	if (card) {
		const spelled = card.number.reveal().split('').join('[ -]?');
		clean = clean.replace(new RegExp(spelled, 'g'), card.number.masked());
	}
	for (const secret of secrets) {
		if (secret.length >= MIN_SECRET_CHARACTERS) clean = clean.replaceAll(secret, MASK);
	}
	return clean;
}
