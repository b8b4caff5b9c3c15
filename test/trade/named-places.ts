// Makes numbers of phones, tickets, flyers, bank accounts and orders in places whose names say what they are for, as
// exports, records of reservation systems and messages have them.

import { DECOYS } from './decoys.ts';
import type { Dice } from './dice.ts';

type Kind = 'phone' | 'ticket' | 'flyer' | 'iban' | 'order';

/** Codes of airlines with which the number of a Visa or Diners card may begin, and of others. */
const AIRLINES = ['412', '421', '465', '479', '406', '301', '360', '385', '220', '125', '057', '618'];

const NUMBERS: Readonly<Record<Kind, readonly ((dice: Dice) => string)[]>> = {
	phone: [
		(dice) => `4915${dice.digits(9)}`,
		(dice) => `49${dice.pick(['30', '89', '160', '170'])}${dice.digits(11)}`.slice(0, 13),
		(dice) => `44${dice.digits(10)}`,
		(dice) => `4${dice.digits(12)}`,
		DECOYS.phone,
		DECOYS.phoneDigits,
	],
	ticket: [
		(dice) => `${dice.pick(AIRLINES)}${dice.digits(10)}`,
		(dice) => `${dice.pick(AIRLINES)}${dice.digits(10)}-${dice.digits(2)}`,
		(dice) => {
			const ticket = `${dice.pick(AIRLINES)}${dice.digits(10)}`;
			return `${ticket}${BigInt(dice.percent(50) ? ticket : ticket.slice(3)) % 7n}`;
		},
		DECOYS.ticket,
		DECOYS.conjunction,
	],
	flyer: [(dice) => `4${dice.digits(12)}`, DECOYS.flyer],
	iban: [DECOYS.iban],
	order: [(dice) => `4${dice.digits(12)}`, (dice) => `6${dice.digits(17)}`, DECOYS.booking, DECOYS.invoice],
};

const NAMES: Readonly<Record<Kind, readonly string[]>> = {
	phone: ['Mobile Phone', 'telefon', 'Telefonnummer', 'Kundentelefon', 'HandyNr', 'mobilePhone', 'Téléphone', 'fax'],
	ticket: ['Ticket Number', 'ticketNumber', 'TICKETNO', 'E-Ticket', 'Flugschein-Nr', 'Numéro de billet', 'tkt_no'],
	flyer: ['Frequent Flyer', 'Vielflieger', 'Vielfliegernummer', 'LoyaltyCardNumber', 'FFNumber', 'membershipId'],
	iban: ['IBAN', 'Kontonummer', 'bankAccountIban', 'BankAccount'],
	order: ['Order No', 'orderNumber', 'Rechnungsnummer', 'Booking Reference', 'Invoice', 'Auftrags-Nr', 'Pedido', 'EAN'],
};
const LINES: Readonly<Record<'air' | 'iur', Readonly<Record<Kind, readonly string[]>>>> = {
	air: {
		phone: [
			'SSR CTCM LH  HK1/',
			'SSR CTCE YY HK1/',
			'OSI YY CTCT ',
			'OSI LH CTCM',
			'APM-',
			'AP MUC ',
			'RM TEL. ',
			'RM*MOBILE: ',
		],
		ticket: ['T-K', 'FA PAX ', 'SSR TKNE LH HK1 ', 'FO', 'RM TKT ', 'RM E-TICKET NO. ', 'FHE '],
		flyer: ['SSR FQTV LH HK1/LH', 'RM FREQUENT FLYER ', 'RM VIELFLIEGERNR. '],
		iban: ['RM IBAN ', 'RIU IBAN: '],
		order: ['RM ORDER NO. ', 'RM RECHNUNG ', 'RM BOOKING ', 'RIF INVOICE '],
	},
	iur: {
		phone: ['M801TEL. ', 'M801SSR CTCM LH HK1/', 'M901MOBILE ', 'M701PHONE '],
		ticket: ['M801TKT ', 'M901TICKET NR ', 'M801SSR TKNE LH HK1 '],
		flyer: ['M801FQTV LH', 'M801FREQUENT FLYER '],
		iban: ['M801IBAN '],
		order: ['M801ORDER ', 'M901INVOICE NO '],
	},
};

const KINDS = Object.keys(NUMBERS) as Kind[];

/** The header of a delimited file with a column for each name. */
export const NAMED_COLUMNS = KINDS.flatMap((kind) => NAMES[kind]);

/**
 * Returns what comes before the number and the number: the name of its field, what begins its line, or the empty cells
 * before it, which follow each other in the order of `NAMED_COLUMNS`.
 */
export function namedPlace(dice: Dice, what: 'column' | 'name' | 'air' | 'iur'): [before: string, text: string] {
	const kind = dice.pick(KINDS);
	const text = dice.pick(NUMBERS[kind])(dice);
	if (what === 'air' || what === 'iur') return [dice.pick(LINES[what][kind]), text.toUpperCase()];
	const name = dice.pick(NAMES[kind]);
	return [what === 'name' ? name : ';'.repeat(NAMED_COLUMNS.indexOf(name)), text];
}
