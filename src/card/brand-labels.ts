import type { CardType } from './brand.ts';

/** The names by which cardholders know card types, if they differ from the names on the wire. */
const LABELS: Partial<Record<CardType, string>> = {
	AMEX: 'American Express',
	BC: 'BC Card',
	Delta: 'Visa Delta',
	DinersClub: 'Diners Club',
	Electron: 'Visa Electron',
	MasterCard: 'Mastercard',
	Troy: 'Troy',
};

/** Returns the name of a card type as cardholders know it. */
export function brandLabel(type: CardType): string {
	return LABELS[type] ?? type;
}
