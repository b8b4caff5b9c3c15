import type { NumbersTexts } from '../en/numbers.ts';

export const numbers: NumbersTexts = {
	title: 'Übersicht',
	sections: 'Diese Bereiche stehen Ihnen offen:',
};
