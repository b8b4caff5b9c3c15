// Texts of providers on their way in. They are somebody else's: they may quote what was sent.

import { maskBeginning } from '../log/masked-beginning.ts';
import { MASK } from '../secret.ts';
import type { GatewayCard, Outcome } from './operation.ts';

const MAX_TEXT_CHARACTERS = 255;
/** A secret shorter than this would be found in any text. */
const MIN_SECRET_CHARACTERS = 8;

/** What must not be in any text. */
export interface Confidential {
	readonly card?: GatewayCard;
	/** Secret values among the credentials. */
	readonly secrets: readonly string[];
}

/** An outcome whose texts hold no card number, CVV or credential, fit the journal and are text the databases keep. */
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
	// As a word of its own: three digits stand inside many harmless texts.
	if (cvv) clean = clean.replace(new RegExp(`(?<!\\d)${cvv}(?!\\d)`, 'g'), '***');
	return maskBeginning(clean, MAX_TEXT_CHARACTERS).toWellFormed();
}

/**
 * References and codes are kept as they are, 16 digits included, since later calls name the payment by them: only what
 * was sent itself is taken out.
 */
function scrubReference(text: string, confidential: Confidential): string {
	// The cut too may leave half of a character.
	return withoutSent(text, confidential).slice(0, MAX_TEXT_CHARACTERS).toWellFormed();
}

/** The whole text: what the cut goes through would not be found any more. */
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
