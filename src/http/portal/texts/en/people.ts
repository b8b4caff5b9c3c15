/** What the room people says in its pages. The other languages have the same members. */
export const people = {
	title: 'People',
};

export type PeopleTexts = typeof people;
