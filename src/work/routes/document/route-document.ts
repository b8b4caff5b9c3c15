// Writes a route as a document with every member, as it is stored and shown.

import { durationText } from './duration.ts';
import type { Expectation, Route, RoutePlace } from './route.ts';

/** Returns the document of a route with its defaults. Read again, it gives the same route. */
export function routeDocument({ name, from, do: work, to, when, missed, expect, retry, paused }: Route) {
	const { ready } = from;
	return {
		name,
		from: {
			...placeDocument(from.place),
			...(from.files.length > 0 && { files: from.files }),
			...(from.except.length > 0 && { except: from.except }),
			ready: {
				unchanged: durationText(ready.unchangedMs),
				minAge: durationText(ready.minAgeMs),
				...(ready.doneFile !== undefined && { doneFile: ready.doneFile }),
				empty: ready.empty,
			},
			afterwards: from.afterwards,
			onFailure: from.onFailure,
			again: from.again,
		},
		do: work,
		to: {
			...placeDocument(to.place),
			name: to.name,
			exists: to.exists,
			temporaryName: to.temporaryName ?? false,
			...(to.doneFile !== undefined && { doneFile: to.doneFile }),
			checksum: to.checksum,
		},
		...(when && { when: 'everyMs' in when ? { every: durationText(when.everyMs) } : when }),
		missed,
		...(expect && { expect: expectationDocument(expect) }),
		retry: { tries: retry.tries, first: durationText(retry.firstMs), longest: durationText(retry.longestMs) },
		paused,
	};
}

function placeDocument(place: RoutePlace) {
	if (place.kind === 'drop') return { drop: `/${place.area}/${place.filter}` };
	const path = place.path === '' ? {} : { path: place.path };
	return place.kind === 'folder' ? { folder: place.folder, ...path } : { destination: place.destination, ...path };
}

function expectationDocument({ files, byMinutes, days, timeZone }: Expectation) {
	const two = (number: number) => String(number).padStart(2, '0');
	const by = `${two(Math.floor(byMinutes / 60))}:${two(byMinutes % 60)}`;
	return { files, by, days: days.join(','), timeZone };
}
