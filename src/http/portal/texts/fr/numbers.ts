import type { NumbersTexts } from '../en/numbers.ts';

export const numbers: NumbersTexts = {
	title: 'Vue d’ensemble',
	sections: 'Ces rubriques vous sont ouvertes :',
};
