// Lists every invalid field of a card, for the calls that report all of them (spec §7.2.4). Other calls report only the
// first invalid field.

import { EXPIRY_ABSENT, expiryOf, isExpired, monthOf } from '../../card/expiry.ts';
import { NumberReading } from '../../card/number.ts';
import { judge, REFUSALS, type Verdict } from '../../card/verdict.ts';
import { FieldProblems } from '../input/field-problems.ts';
import { Members } from '../input/members.ts';
import type { RequestBody } from '../input/request-body.ts';
import { type AcceptedCard, getCard, readMonth, readNumber, readYear } from './card-body.ts';
import { type BankCard, CARD_BODY } from './card-schema.ts';
import { findVirtual } from './virtual-card.ts';

/**
 * Returns the card in the body of a call.
 * @throws FieldErrors with every problem of the card
 */
export function getListedCard(body: RequestBody | undefined, now: Date): AcceptedCard {
	try {
		return getCard(body, now);
	} catch (error) {
		// A refused card is read again, field by field, to list all of its problems. Accepted cards are read only once.
		listProblems(body, now, error).throwIfAny();
		throw error;
	}
}

function listProblems(body: RequestBody | undefined, now: Date, first: unknown): FieldProblems {
	const problems = new FieldProblems();
	const card = findCard(body);
	if (!card) return problems;
	for (const read of READERS) problems.read(() => read(card, now));
	// If no field has a problem, the card was refused because of the order of its XML elements. The first reading has
	// found that error, and it is reported.
	if (problems.isEmpty) problems.note(first);
	return problems;
}

/** Returns the members of the card, or undefined if the body does not have the form of a card. */
function findCard(body: RequestBody | undefined): Members<BankCard> | undefined {
	return new FieldProblems().read(() => Members.of(body, CARD_BODY).getObject('BankCard'));
}

/** Checks only the number, so that a wrong expiry or CVV does not hide a problem of the number. */
function checkNumber(card: Members<BankCard>, now: Date): void {
	const number = new NumberReading();
	try {
		const malformed = readNumber(card, number);
		const verdict: Verdict = { refusal: null, warnings: 0, brand: 0 };
		judge(number, { expiry: EXPIRY_ABSENT, cvv: 'absent', type: undefined, now: monthOf(now) }, verdict);
		const refusal = malformed ?? verdict.refusal;
		if (refusal) throw card.problem('Number', REFUSALS[refusal]);
	} finally {
		number.clear();
	}
}

/** Checks the expiry. Its parts are checked first, because an unreadable date cannot be judged as expired. */
function checkDate(card: Members<BankCard>, now: Date): void {
	const date = card.getObject('ExpirationDate');
	const expiry = expiryOf(readMonth(date), readYear(date));
	if (isExpired(expiry, monthOf(now))) throw card.problem('ExpirationDate', REFUSALS.expired);
}

function checkCvv(card: Members<BankCard>): void {
	if (!card.fits('CVV')) throw card.problem('CVV', REFUSALS.cvv);
}

/**
 * The checks of the single fields of a card. Each check throws the problem of its field. A problem that several checks
 * find is listed once.
 */
const READERS: readonly ((card: Members<BankCard>, now: Date) => unknown)[] = [
	checkNumber,
	checkDate,
	(card) => card.has('ExpirationDate') && readYear(card.getObject('ExpirationDate')),
	(card) => card.findText('Type'),
	checkCvv,
	...(['NameOnCard', 'IssueNumber', 'OwnerID'] as const).map(
		(name) => (card: Members<BankCard>) => card.findText(name),
	),
	findVirtual,
];
