import { isPartialName } from '../../drops/drop-names.ts';
import type { RouteSource } from '../document/route.ts';

/** Returns a function that tells whether a name matches one of the patterns, in which `*` and `?` stand for characters. */
function matcher(patterns: readonly string[]): (name: string) => boolean {
	const sources = patterns.map((pattern) =>
		[...pattern].map((sign) => (sign === '*' ? '.*' : sign === '?' ? '.' : RegExp.escape(sign))).join(''),
	);
	const all = sources.map((source) => new RegExp(`^${source}$`, 'su'));
	return (name) => all.some((each) => each.test(name));
}

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
		/** Partial names are left out like the excepted ones, because they stand for files that are not complete. */
		isFile: (name: string) => isWanted(name) && !isExcepted(name) && !isPartialName(name) && !isDoneFile(name),
	};
}
