import type { PeopleTexts } from '../en/people.ts';

export const people: PeopleTexts = {
	title: 'Personas',
};
