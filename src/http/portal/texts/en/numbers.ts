/** What the room numbers says in its pages. The other languages have the same members. */
export const numbers = {
	title: 'Overview',
	sections: 'You may use these sections:',
};

export type NumbersTexts = typeof numbers;
