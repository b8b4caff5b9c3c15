import { type Why, why } from '../../../base/failures.ts';
import { isPartialName } from '../../drops/drop-names.ts';
import { namePattern } from '../../drops/name-pattern.ts';
import type { RouteSource } from '../document/route.ts';

function matcher(patterns: readonly string[]): (name: string) => boolean {
	const all = patterns.map((pattern) => namePattern(pattern, '?'));
	return (name) => all.some((fits) => fits(name));
}

/** Why a name of the source is no file of the route. */
export const NO_FILE = {
	partial: why('a name of this form is for a file that is not complete yet', 'file-not-wanted'),
	unwanted: why('its name matches none of from.files', 'file-not-wanted'),
	excepted: why('its name matches one of from.except', 'file-not-wanted'),
	done: why('it is a done-file', 'file-not-wanted'),
} as const satisfies Record<string, Why>;

/** Tells which names of a folder are files of the route, and which are done-files. */
export function nameRules({ files, except, ready }: Pick<RouteSource, 'files' | 'except' | 'ready'>) {
	const isWanted = files.length === 0 ? () => true : matcher(files);
	const isExcepted = matcher(except);
	const [before, after] = ready.doneFile?.split('{name}') ?? [];
	const isDoneFile = (name: string) =>
		before !== undefined &&
		name.length > before.length + after.length &&
		name.startsWith(before) &&
		name.endsWith(after);
	return {
		isDoneFile,
		/** Returns why a name is no file of the route; undefined if it is one. */
		whyNot(name: string): Why | undefined {
			if (isDoneFile(name)) return NO_FILE.done;
			// Partial names are left out like the excepted ones, because they stand for files that are not complete.
			if (isPartialName(name)) return NO_FILE.partial;
			if (!isWanted(name)) return NO_FILE.unwanted;
			return isExcepted(name) ? NO_FILE.excepted : undefined;
		},
	};
}
