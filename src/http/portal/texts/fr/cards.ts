import type { CardsTexts } from '../en/cards.ts';

export const cards: CardsTexts = {
	title: 'Cartes',
};
