import type { FilesTexts } from '../en/files.ts';

export const files: FilesTexts = {
	title: 'Dateien',
};
