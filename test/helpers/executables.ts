// Finds programs of this machine by their names.

import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Returns the path of the first program with this name in the folders of `path`, or undefined if there is none. */
export function findInPath(program: string, path: string = process.env.PATH ?? ''): string | undefined {
	const folders = path.split(delimiter).filter((folder) => folder !== '');
	return folders.map((folder) => join(folder, program)).find(isExecutable);
}

export function isExecutable(path: string): boolean {
	try {
		accessSync(path, constants.X_OK);
		return true;
	} catch {
		return false;
	}
}
