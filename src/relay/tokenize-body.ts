// Cards out of a body that a third party sent: tokenization on response, on request of a third party, and universal
// tokenization (spec §4.1) share it.

import { CARD_TYPES, findCardType } from '../card/brand.ts';
import { CardNumber } from '../card/card-number.ts';
import { readCvv } from '../card/cvv.ts';
import { Cvv } from '../card/cvv-code.ts';
import { monthOf } from '../card/expiry.ts';
import { NumberReading } from '../card/number.ts';
import { holdsCardNumber } from '../card/spelled-number.ts';
import { judge, REFUSALS, type Verdict, WARNINGS, warningsOf } from '../card/verdict.ts';
import type { AccountId } from '../database/ids.ts';
import { ServiceError } from '../errors.ts';
import { type Principal, storedBy } from '../identity/principal.ts';
import { maskCardNumbers } from '../log/card-numbers.ts';
import { Edits } from '../transfer/splice.ts';
import type { StoredMessage, StoreRequest } from '../vault/new-card.ts';
import type { Token } from '../vault/token.ts';
import { expiryOfValues, valueBytes } from './card-values.ts';
import type { ReadyProfile } from './profiles.ts';
import type { RelayRooms } from './rooms.ts';
import { isWrittenAsForm } from './selectors/form.ts';
import type { LocatedCard } from './selectors/selectors.ts';

/** What a call says of the cards it brings (shapes §3, §4). */
export interface StoreWishes {
	readonly reference?: string;
	readonly merchantId?: AccountId;
	/** False: checked and dropped. The caller has made sure that the account may keep one. */
	readonly keepsCvv: boolean;
	readonly eliminatesDuplicates?: boolean;
	/** A message with more is refused before a card is stored. */
	readonly maxTokens?: number;
}

export interface TokenizedBody {
	readonly body: Buffer;
	/** Of tokenized cards only, in message order (shapes §11). */
	readonly tokens: readonly Token[];
	/** One text per card in message order, empty where there is nothing to say (spec §4.1). */
	readonly errors: readonly string[];
	readonly warnings: readonly string[];
	/** What tokens stand for now, in clear: to be found wherever else the message repeats it. */
	readonly numbers: readonly string[];
}

/** Whose message it is, and what it says it is. */
export interface Sender {
	readonly principal: Principal;
	readonly profile: ReadyProfile;
	readonly contentType?: string;
	/** What is answered where the message may hold cards that cannot be found in it. */
	readonly refusal: 'target-unreachable' | 'bad-input-data';
	/** How the trail calls a message with cards; one without is the caller's to record. */
	readonly message: StoredMessage;
}

const MAX_NAME_CHARACTERS = 255;

interface Judged {
	readonly located: LocatedCard;
	/** Absent for a card that passes unchanged. */
	readonly request?: Pick<StoreRequest, 'card' | 'cvv'>;
	readonly error: string;
	readonly warning: string;
}

/**
 * Tokenizes what the profile's selectors find. A card that cannot be tokenized passes unchanged; what is masked or a
 * token already is no card. A body in another format than the profile's holds no card that could be found: it passes
 * when nothing in it looks like one.
 * @throws ServiceError the sender's refusal for one that does, `bad-input-data` for more cards than are wished for
 */
export async function tokenizeBody(
	{ vault, clock }: Pick<RelayRooms, 'vault' | 'clock'>,
	from: Sender,
	body: Buffer,
	wishes: StoreWishes,
): Promise<TokenizedBody> {
	const { principal, profile } = from;
	const places = locate(from, body);
	const judged = places.flatMap((located) => judgeCard(located, clock.now()) ?? []);
	const accepted = judged.filter((card) => card.request !== undefined);
	if (judged.length === 0) return { body, tokens: [], errors: [], warnings: [], numbers: [] };
	const { reference, merchantId, eliminatesDuplicates, maxTokens = accepted.length } = wishes;
	if (accepted.length > maxTokens) {
		const moreInfo = `body: more than ${maxTokens} cards; a profile with inPlace: token takes more`;
		throw new ServiceError('bad-input-data', { moreInfo });
	}
	const refused = judged.length - accepted.length;
	const message = { ...from.message, details: { ...from.message.details, refused } };
	const results = await Promise.all(
		accepted.map(async ({ request }) => {
			const beside = { reference, merchantId, cvv: wishes.keepsCvv ? request!.cvv : undefined };
			const result = await vault.store({
				...storedBy(principal),
				card: request!.card,
				eliminatesDuplicates,
				message,
				...beside,
			});
			if (!result.isNew) await vault.attach(principal.ownerId, result.token, beside);
			return result.token;
		}),
	);
	const edits = new Edits();
	for (const [nth, { located, request }] of accepted.entries()) {
		located.hide(edits, profile.inPlace === 'token' ? results[nth] : request!.card.number.masked());
	}
	if (accepted.length > 0) {
		const hidden = new Set(accepted.map(({ located }) => located));
		for (const place of places) if (!hidden.has(place)) place.starStrayCodes(edits);
	}
	return {
		body: edits.apply(body, 0, body.length),
		tokens: results,
		errors: judged.map(({ error }) => error),
		warnings: judged.map(({ warning }) => warning),
		numbers: accepted.map(({ request }) => request!.card.number.reveal()),
	};
}

function locate({ profile, contentType, refusal }: Sender, body: Buffer): LocatedCard[] {
	if (body.length === 0) return [];
	let cause: ServiceError | undefined;
	try {
		const found = profile.selectors.locate(body, contentType);
		// Anything can be read as a form: what has none of the fields may be something else.
		if (found.length > 0 || profile.body !== 'form' || isWrittenAsForm(body)) return found;
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		cause = error;
	}
	// Without the zeros of UTF-16, which is refused and can be looked at all the same.
	const text = body.toString('latin1').replaceAll('\0', '');
	if (maskCardNumbers(text) === text) return [];
	const moreInfo = `body: cannot be read as ${profile.body} and looks as if it held card numbers`;
	throw new ServiceError(refusal, { moreInfo, cause, isOutcomeUnknown: refusal === 'target-unreachable' });
}

/** Undefined for a place that holds no card at all. */
function judgeCard(located: LocatedCard, now: Date): Judged | undefined {
	const { values } = located;
	const bytes = valueBytes(values.number);
	const number = new NumberReading().read(bytes, 0, bytes.length);
	bytes.fill(0);
	try {
		if (number.kind === 'empty' || number.kind === 'masked' || number.kind === 'token') return undefined;
		const expiry = expiryOfValues(values.expiryMonth, values.expiryYear);
		const code = valueBytes(values.securityCode);
		const cvv = readCvv(code, 0, code.length);
		code.fill(0);
		const named = values.type ? findCardType(values.type) : undefined;
		const verdict: Verdict = { refusal: null, warnings: 0, brand: 0 };
		judge(number, { expiry, cvv, type: named, now: monthOf(now) }, verdict);
		if (verdict.refusal !== null) return { located, error: REFUSALS[verdict.refusal], warning: '' };
		const isUnknownType = Boolean(values.type) && named === undefined;
		const warnings = isUnknownType ? (['type-mismatch'] as const) : warningsOf(verdict.warnings);
		const type = named ?? verdict.brand;
		return {
			located,
			request: {
				card: {
					number: new CardNumber(number.digits.toString('latin1', 0, number.count)),
					expiry,
					type: type < CARD_TYPES.length ? type : 0,
					name: nameIn(values.nameOnCard),
				},
				cvv: cvv === 'readable' ? new Cvv(values.securityCode!.trim()) : undefined,
			},
			error: '',
			warning: warnings.map((each) => WARNINGS[each]).join(', '),
		};
	} finally {
		number.clear();
	}
}

/** Metadata shows it in clear, so a name that may be a card number is not kept. */
function nameIn(text: string | undefined): string | undefined {
	const name = text?.trim();
	return name && name.length <= MAX_NAME_CHARACTERS && !holdsCardNumber(name) ? name : undefined;
}
