/** What the room cards says in its pages. The other languages have the same members. */
export const cards = {
	title: 'Cards',
};

export type CardsTexts = typeof cards;
