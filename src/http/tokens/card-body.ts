// Reads and judges card data as callers send it (shapes §2).

import { CARD_TYPES, type CardTypeIndex, findCardType } from '../../card/brand.ts';
import { CardNumber } from '../../card/card-number.ts';
import { Cvv } from '../../card/cvv-code.ts';
import { type Expiry, expiryOf, monthOf } from '../../card/expiry.ts';
import { NumberReading } from '../../card/number.ts';
import { judge, REFUSALS, type Refusal, type Verdict, WARNINGS, type Warning, warningsOf } from '../../card/verdict.ts';
import { ServiceError } from '../../errors.ts';
import type { NewCard } from '../../vault/new-card.ts';
import { Members } from '../input/members.ts';
import type { RequestBody } from '../input/request-body.ts';
import { checkCardOrder } from './card-order.ts';
import { type BankCard, CARD_BODY } from './card-schema.ts';
import { findVirtual, type VirtualInfo } from './virtual-card.ts';

const MAX_NUMBER_CHARACTERS = 22;

/** A card that may be stored. */
export interface AcceptedCard {
	readonly card: NewCard;
	/** The CVV, which has been checked. The code that reads the card decides whether the CVV is kept. */
	readonly cvv: Cvv | undefined;
	readonly warnings: readonly Warning[];
	readonly masked: MaskedCard;
}

/** Describes a card that must not be stored; `field` names the field that is wrong. */
export interface RefusedCard {
	readonly refusal: Refusal;
	readonly field: string;
}

/**
 * The only form in which answers contain a card (shapes §2): without the CVV, and of the number only the first six and
 * the last four digits.
 */
export interface MaskedCard {
	readonly Type: string | null;
	readonly Virtual: VirtualInfo | null;
	readonly Number: string;
	readonly NameOnCard: string | null;
	/** Null only for a card that came from a file without an expiry. */
	readonly ExpirationDate: { readonly Month: string; readonly Year: string } | null;
	readonly IssueNumber: string | null;
	readonly OwnerID: string | null;
}

/**
 * Returns the card in the body of a call that stores one card.
 * @throws ServiceError if the body is malformed or the card is refused (shapes §2)
 */
export function getCard(body: RequestBody | undefined, now: Date): AcceptedCard {
	return accepted(readCard(body, now));
}

/**
 * Returns a card that is a member of a larger body.
 * @throws ServiceError if it is malformed or refused
 */
export function getBankCard(card: Members<BankCard>, now: Date): AcceptedCard {
	return accepted(readBankCard(card, now));
}

function accepted(card: AcceptedCard | RefusedCard): AcceptedCard {
	if (!('refusal' in card)) return card;
	const reason = card.refusal === 'cvv' ? 'bad-input-parameter' : 'bad-input-data';
	throw new ServiceError(reason, { field: card.field, problem: REFUSALS[card.refusal] });
}

/**
 * Reads a card and judges it.
 * @throws ServiceError if the body does not have the form of a card or has no expiry
 */
export function readCard(body: RequestBody | undefined, now: Date): AcceptedCard | RefusedCard {
	if (body?.format === 'xml') checkCardOrder(body.root);
	return readBankCard(Members.of(body, CARD_BODY).getObject('BankCard'), now);
}

function readBankCard(card: Members<BankCard>, now: Date): AcceptedCard | RefusedCard {
	const number = new NumberReading();
	try {
		const refusal = readNumber(card, number);
		const facts = readFacts(card);
		if (refusal) return { refusal, field: card.nameOf('Number') };
		return judged(card, number, facts, now);
	} finally {
		number.clear();
	}
}

interface Facts {
	readonly expiry: Expiry;
	readonly typeName: string | undefined;
	readonly cvv: string | undefined;
	readonly name: string | undefined;
	readonly issueNumber: string | undefined;
	readonly owner: string | undefined;
	readonly virtual: VirtualInfo | undefined;
}

/** Reads a card number. It may contain blanks and hyphens, but not more than 22 characters in all (spec §2.4). */
export function readNumber(card: Members<BankCard>, into: NumberReading): Refusal | undefined {
	const text = card.getText('Number');
	const digits = Buffer.from(text.replace(/[ -]/g, ''));
	into.read(digits, 0, digits.length);
	digits.fill(0);
	if (text.length > MAX_NUMBER_CHARACTERS) return 'too-long';
	// The text may be a masked number, a token or a number in the notation of a spreadsheet. None of these is a card
	// number.
	return into.kind === 'digits' ? undefined : into.count < 12 ? 'too-short' : 'luhn';
}

function readFacts(card: Members<BankCard>): Facts {
	return {
		expiry: readExpiry(card.getObject('ExpirationDate')),
		typeName: card.findText('Type'),
		// The CVV is not checked here, because the verdict reports its problems only after those of the number.
		cvv: card.findUnchecked('CVV'),
		name: card.findText('NameOnCard'),
		issueNumber: card.findText('IssueNumber'),
		owner: card.findText('OwnerID'),
		virtual: findVirtual(card),
	};
}

/** The members of `ExpirationDate`. */
type DateMembers = Members<BankCard['ExpirationDate']>;

/** Reads the expiry: a month of two digits and a year of four. Other lengths are refused (spec §2.4, shapes §2). */
function readExpiry(date: DateMembers): Expiry {
	const month = readMonth(date);
	return expiryOf(month, readYear(date));
}

export function readMonth(date: DateMembers): number {
	return Number(date.getText('Month'));
}

export function readYear(date: DateMembers): number {
	const year = Number(date.getText('Year'));
	if (expiryOf(1, year) < 0 || year < 1900) throw date.problem('Year', 'out of range');
	return year;
}

function judged(card: Members<BankCard>, number: NumberReading, facts: Facts, now: Date): AcceptedCard | RefusedCard {
	const { expiry, typeName, cvv, name, issueNumber, owner, virtual } = facts;
	const named = typeName === undefined ? undefined : findCardType(typeName);
	const cvvReading = cvv === undefined ? 'absent' : card.fits('CVV') ? 'readable' : 'malformed';
	const verdict: Verdict = { refusal: null, warnings: 0, brand: 0 };
	const isTypeUnknown = typeName !== undefined && named === undefined;
	judge(number, { expiry, cvv: cvvReading, type: named, isTypeUnknown, now: monthOf(now) }, verdict);
	if (verdict.refusal) return { refusal: verdict.refusal, field: card.nameOf(FIELDS[verdict.refusal] ?? 'Number') };
	const warnings = warningsOf(verdict.warnings);
	const type: CardTypeIndex = named ?? verdict.brand;
	const cardNumber = new CardNumber(number.digits.toString('latin1', 0, number.count));
	return {
		card: {
			number: cardNumber,
			expiry,
			type,
			name,
			issueNumber,
			owner,
			virtual: virtual && JSON.stringify(virtual),
		},
		cvv: cvv === undefined ? undefined : new Cvv(cvv),
		warnings,
		masked: {
			Type: type === 0 && typeName === undefined ? null : CARD_TYPES[type],
			Virtual: virtual ?? null,
			Number: cardNumber.masked(),
			NameOnCard: name ?? null,
			ExpirationDate: expiryParts(expiry),
			IssueNumber: issueNumber ?? null,
			OwnerID: owner ?? null,
		},
	};
}

const FIELDS: Partial<Record<Refusal, string>> = { cvv: 'CVV', expired: 'ExpirationDate', expiry: 'ExpirationDate' };

/** Returns an expiry as callers write it: a month of two digits and a year of four. */
export function expiryParts(expiry: Expiry): { Month: string; Year: string } {
	return { Month: String(expiry % 100).padStart(2, '0'), Year: String(Math.floor(expiry / 100)) };
}

/**
 * Returns the value of the header `X-service-Tokenization-Warnings`, which has one entry a card. The entry of a card
 * without warnings is empty (spec §4.1).
 */
export function warningsHeader(cards: readonly (readonly Warning[])[]): string | undefined {
	if (cards.every((warnings) => warnings.length === 0)) return undefined;
	return cards.map((warnings) => warnings.map((warning) => WARNINGS[warning]).join(', ')).join(';;');
}
