// Reads card data as callers send it (shapes §2) and hands it to `CardReading`. Calls report the first thing that
// is wrong with a card, in the order of its members, or all of it (spec §7.2.4).

import { CARD_TYPES } from '../../../base/card/brand.ts';
import { CardNumber } from '../../../base/card/card-number.ts';
import { type CardParts, PART, type PartName } from '../../../base/card/card-parts.ts';
import { Cvv } from '../../../base/card/clear-cvv.ts';
import { type Expiry, writtenExpiry } from '../../../base/card/expiry.ts';
import { CardReading, DOORS } from '../../../base/card/read-card.ts';
import { PROBLEMS, WARNING_LINES } from '../../../base/card/verdict.ts';
import { ServiceError } from '../../../base/errors.ts';
import type { NewCard } from '../../../vault/cards/new-card.ts';
import { FieldProblems } from '../input/field-problems.ts';
import { Members } from '../input/members.ts';
import type { RequestBody } from '../input/request-body.ts';
import { checkCardOrder } from './card-order.ts';
import { type BankCard, CARD_BODY } from './card-schema.ts';
import type { MaskedCard, VirtualInfo } from './schemas.ts';
import { findVirtual } from './virtual-card.ts';

export interface AcceptedCard {
	readonly card: NewCard;
	/** The CVV, which has been checked. The code that reads the card decides whether the CVV is kept. */
	readonly cvv: Cvv | undefined;
	/** The texts of the warnings; empty if there are none. */
	readonly warning: string;
	readonly masked: MaskedCard;
}

export const MEMBER_NAMES = {
	...({
		number: 'Number',
		month: 'ExpirationDate.Month',
		year: 'ExpirationDate.Year',
		expiry: 'ExpirationDate',
	} as const),
	...({ cvv: 'CVV', type: 'Type', name: 'NameOnCard', issueNumber: 'IssueNumber', owner: 'OwnerID' } as const),
} satisfies Partial<Record<PartName, string>>;
export type CardMember = keyof typeof MEMBER_NAMES;

/**
 * Returns the card in the body of a call that stores one card.
 * @throws ServiceError if the body is malformed or the card is refused (shapes §2)
 */
export function getCard(body: RequestBody | undefined, now: Date): AcceptedCard {
	return getBankCard(cardIn(body), now);
}

/**
 * Returns a card that is a member of a larger body.
 * @throws ServiceError if it is malformed or refused
 */
export function getBankCard(members: Members<BankCard>, now: Date): AcceptedCard {
	const { card, problems } = readBankCard(members, now);
	if (!card) throw problems[0];
	return card;
}

/**
 * Returns the card in the body of a call that lists all problems.
 * @throws FieldErrors with every problem of the card
 */
export function getListedCard(body: RequestBody | undefined, now: Date): AcceptedCard {
	try {
		return getCard(body, now);
	} catch (error) {
		const listed = new FieldProblems();
		const members = new FieldProblems().read(() => Members.of(body, CARD_BODY).getObject('BankCard'));
		if (!members) throw error;
		for (const problem of readBankCard(members, now).problems) listed.note(problem);
		// If no member has a problem, the XML elements are in the wrong order, which the first error says.
		if (listed.isEmpty) listed.note(error);
		return listed.fail();
	}
}

/** @throws ServiceError if the body does not have the form of a card */
export function cardIn(body: RequestBody | undefined): Members<BankCard> {
	if (body?.format === 'xml') checkCardOrder(body.root);
	return Members.of(body, CARD_BODY).getObject('BankCard');
}

/** Reads the cards of all calls, each of which is read in one go. A new one for each would cost more than the reading. */
const reading = new CardReading(DOORS.call, new Date(0));

function readBankCard(card: Members<BankCard>, now: Date): { card?: AcceptedCard; problems: readonly ServiceError[] } {
	reading.now = now;
	try {
		const problems = putParts(card, reading.parts);
		const unreadable = problems.map(({ field }) => field!);
		const outcome = reading.read();
		for (const [part, problem] of reading.faults()) {
			const field = card.nameOf(MEMBER_NAMES[part as CardMember]);
			// A part is also missing if its member cannot be read, which is a problem already.
			if (unreadable.some((each) => field === each || field.startsWith(`${each}.`))) continue;
			const reason = problem === 'cvv' ? 'bad-input-parameter' : 'bad-input-data';
			problems.push(new ServiceError(reason, { field, problem: PROBLEMS[problem] }));
		}
		const virtual = attempt(() => findVirtual(card), problems);
		return outcome === 'accepted' && problems.length === 0 ? { card: acceptedCard(virtual), problems } : { problems };
	} finally {
		reading.wipe();
	}
}

/** Only that each is a single text is checked here; returns an error for each that is not. */
export function putParts(card: Members<BankCard>, parts: CardParts): ServiceError[] {
	const problems: ServiceError[] = [];
	parts.begin();
	attempt(() => parts.put(PART.number, card.findUnchecked('Number')), problems);
	const date = attempt(() => card.getObject('ExpirationDate'), problems);
	attempt(() => parts.put(PART.month, date?.findUnchecked('Month')), problems);
	attempt(() => parts.put(PART.year, date?.findUnchecked('Year')), problems);
	for (const part of ['type', 'cvv', 'name', 'issueNumber', 'owner'] as const)
		attempt(() => parts.put(PART[part], card.findUnchecked(MEMBER_NAMES[part])), problems);
	return problems;
}

function attempt<T>(read: () => T, problems: ServiceError[]): T | undefined {
	try {
		return read();
	} catch (error) {
		if (!(error instanceof ServiceError)) throw error;
		problems.push(error);
		return undefined;
	}
}

function acceptedCard(virtual: VirtualInfo | undefined): AcceptedCard {
	const { expiry, type, parts } = reading;
	const text = (part: typeof PART.name | typeof PART.issueNumber | typeof PART.owner) => reading.text(part)?.toString();
	const [name, issueNumber, owner] = [text(PART.name), text(PART.issueNumber), text(PART.owner)];
	const number = new CardNumber(reading.digits());
	return {
		card: { number, expiry, type, name, issueNumber, owner, virtual: virtual && JSON.stringify(virtual) },
		cvv: reading.cvv === 'absent' ? undefined : new Cvv(parts.of(PART.cvv).toString()),
		warning: WARNING_LINES[reading.warnings],
		masked: {
			Type: type === 0 && parts.of(PART.type).length === 0 ? null : CARD_TYPES[type],
			Virtual: virtual ?? null,
			Number: number.masked(),
			NameOnCard: name ?? null,
			ExpirationDate: expiryParts(expiry),
			IssueNumber: issueNumber ?? null,
			OwnerID: owner ?? null,
		},
	};
}

/** The card types to which a session or request can be limited: every type except `Unspecified`. */
export const ASKED_CARD_TYPES: readonly string[] = CARD_TYPES.slice(1);

/**
 * Reads the names of card types, which are separated by commas. Returns undefined if there are none.
 * @throws ServiceError if one is unknown
 */
export function findCardTypes<N extends string>(
	body: { findText(name: N): string | undefined; problem(name: string, expectation: string): ServiceError },
	name: N,
): readonly string[] | undefined {
	const text = body.findText(name);
	if (text === undefined) return undefined;
	const names = text.split(',').map((each) => each.trim().toLowerCase());
	const taken = ASKED_CARD_TYPES.filter((type) => names.includes(type.toLowerCase()));
	if (taken.length === new Set(names).size) return taken;
	throw body.problem(name, `expected some of ${ASKED_CARD_TYPES.join(',')}`);
}

/** Returns an expiry as callers write it: a month of two digits and a year of four. */
export function expiryParts(expiry: Expiry): { Month: string; Year: string } {
	const { expiryMonth: Month, expiryYear: Year } = writtenExpiry(expiry);
	return { Month, Year };
}
