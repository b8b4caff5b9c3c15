import type { NumbersTexts } from '../en/numbers.ts';

export const numbers: NumbersTexts = {
	title: 'Resumen',
	sections: 'Puede usar estas secciones:',
};
