/** What the room files says in its pages. The other languages have the same members. */
export const files = {
	title: 'Files',
};

export type FilesTexts = typeof files;
