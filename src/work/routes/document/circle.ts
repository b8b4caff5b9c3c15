import { posix } from 'node:path';
import { plainName } from '../../../base/openpgp/message-names.ts';
import { nameRules } from '../ledger/name-patterns.ts';
import { fillPlaceholders } from './placeholders.ts';
import type { Route, RoutePlace } from './route.ts';

/** Tells whether a route would take up what it has delivered itself, again and again. */
export function goesInCircles({ from, do: work, to }: Pick<Route, 'from' | 'do' | 'to'>): boolean {
	if (wholePlace(from.place) !== wholePlace(to.place)) return false;
	const facts = { seq: 1, run: 'x', filter: work.filter ?? '', at: new Date(0), timeZone: 'UTC' };
	return (from.files.length > 0 ? from.files : ['x.csv']).some((pattern) => {
		const name = pattern.replaceAll(/[*?]/g, 'x');
		const delivered = fillPlaceholders(to.name, { ...facts, name: work.decrypt ? plainName(name) : name });
		return nameRules(from).whyNot(delivered) === undefined;
	});
}

/** Writes a place so that the same one is the same text. */
function wholePlace(place: RoutePlace): string {
	if (place.kind === 'drop') return `drop ${place.area}/${place.filter}`;
	const within = place.kind === 'folder' ? place.folder : place.destination;
	return `${place.kind} ${posix.join(within, place.path)}`;
}
