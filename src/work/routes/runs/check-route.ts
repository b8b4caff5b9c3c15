// Tries a route without writing anything: logs in at both ends, and tells which files it would take and why not the others.

import { posix } from 'node:path';
import { type Why, why } from '../../../base/failures.ts';
import { plainName } from '../../../base/openpgp/message-names.ts';
import { keysIn } from '../../../base/openpgp/message-options.ts';
import { endedKey, missingKey } from '../../../base/openpgp/refusals.ts';
import type { PgpKeys, StoredPgpKey } from '../../pgp/pgp-keys.ts';
import type { DeliveryParts } from '../delivery/delivery-parts.ts';
import { fillPlaceholders } from '../document/placeholders.ts';
import { messageOptionsOf, type Route, type RoutePlace } from '../document/route.ts';
import { nameRules } from '../ledger/name-patterns.ts';
import { survey } from '../ledger/survey.ts';
import { type EndOwner, type EndParts, openSource, openTarget } from '../places/open-ends.ts';
import type { EndFacts } from '../places/place.ts';
import { whyOf } from './run-errors.ts';

/** What was found at an end of a route. */
export interface CheckedEnd {
	readonly isReached: boolean;
	/** Why the end was not reached, or its files could not be listed; null if all is well. */
	readonly failure: Why | null;
	readonly facts: EndFacts;
}

export type CheckedRoute = Awaited<ReturnType<typeof checkRoute>>;

/** Returns what was found as interfaces give it: why something is wrong in English alone. */
export function shownCheck({ from, to, warnings, isOk }: CheckedRoute) {
	const end = ({ isReached, failure, facts }: CheckedEnd) => ({ isReached, reason: failure?.reason ?? null, facts });
	const { listed, files, leftCount } = from;
	const left = from.left.map(({ path, size, reason }) => ({ path, size, reason }));
	return {
		from: { ...end(from), listed, files, left, leftCount },
		to: end(to),
		warnings: warnings.map(({ reason }) => reason),
		isOk,
	};
}

const CIRCLE = why(
	'files that the route delivers would be taken by it again: give to another place than from, or a to.name that from.except leaves out',
	'route-in-circles',
);

/** Checks a route. `routeId` names the ledger of one that is stored. */
export async function checkRoute(
	parts: Pick<DeliveryParts, 'database' | 'clock'> & {
		readonly ends: EndParts;
		readonly pgpKeys: Pick<PgpKeys, 'list'>;
	},
	owner: Omit<EndOwner, 'isAsked'>,
	route: Route,
	routeId?: string,
) {
	const { database, clock, ends, pgpKeys } = parts;
	const asked = { ...owner, isAsked: true };
	const from = await checkSource();
	const to = await checkTarget();
	const keys = await checkKeys();
	/** What is wrong, or soon will be, with the OpenPGP keys that the route names, and with its ends. */
	const warnings: readonly Why[] = [...(goesInCircles(route) ? [CIRCLE] : []), ...keys];
	/** True if both ends were reached and every key works. */
	const isOk = from.failure === null && to.failure === null && !keys.some(({ isOver }) => isOver);
	return { from, to, warnings, isOk };

	async function checkSource() {
		const nothing = { listed: 0, files: [], left: [], leftCount: 0 };
		let reached: CheckedEnd = { isReached: false, failure: null, facts: {} };
		try {
			const source = await openSource(ends, asked, route.from.place);
			reached = { isReached: true, failure: null, facts: source.facts };
			try {
				// Both looks of a trial are one, so files that only have to stay unchanged count as ready.
				const { ready: rule } = route.from;
				const trial = { ...route, from: { ...route.from, ready: { ...rule, unchangedMs: 0 } } };
				const now = clock.now().getTime();
				const { ready, hopeless, left, leftCount, listed } = await survey(source, trial, {
					database,
					routeId,
					now,
					isTrial: true,
				});
				const alarms = hopeless.map(({ path, size, reason, told }) => ({
					...{ path, size, told },
					reason: `it would be given up: ${reason}`,
				}));
				const files = ready.map(({ path, size }) => ({ path, size }));
				return {
					...reached,
					listed,
					files,
					left: [...alarms, ...left],
					/** The number of all files that would be left, of which only the first are named. */
					leftCount: leftCount + alarms.length,
				};
			} finally {
				source.close();
			}
		} catch (error) {
			return { ...reached, ...nothing, failure: whyOf(error) };
		}
	}

	async function checkKeys(): Promise<KeyWarning[]> {
		const names = keysIn(messageOptionsOf(route.do));
		const keys = names.length === 0 ? [] : await pgpKeys.list(owner.ownerId);
		const now = clock.now().getTime();
		const warned = names.map(async (name) => {
			const key = keys.find((each) => each.name === name);
			const warning = keyWarning(name, key, now);
			const isReader = route.do.encrypt?.for.includes(name) === true && warning?.isOver !== true;
			return (isReader ? await readerWarning(name, key!.publicKey) : undefined) ?? warning ?? [];
		});
		return (await Promise.all(warned)).flat();
	}

	async function checkTarget(): Promise<CheckedEnd> {
		const { place } = route.to;
		if (place.kind === 'drop') {
			return { isReached: true, failure: null, facts: { drop: `/${place.area}/${place.filter}` } };
		}
		try {
			const target = await openTarget(ends, asked, place);
			target.close();
			return { isReached: true, failure: null, facts: target.facts };
		} catch (error) {
			return { isReached: false, failure: whyOf(error), facts: {} };
		}
	}
}

interface KeyWarning extends Why {
	/** True if the key does not work any more, so that no file would come through. */
	readonly isOver: boolean;
}

const DAY_MS = 86_400_000;
const SOON_DAYS = 30;

/** Tells why nothing can be encrypted for a key that has not ended as a whole; its subkey may have. */
async function readerWarning(name: string, armored: string): Promise<KeyWarning | undefined> {
	const { openReader } = await import('../../../base/openpgp/keys.ts');
	const failed = await openReader({ name, armored }).then(
		() => undefined,
		(error: unknown) => error,
	);
	return failed === undefined ? undefined : { ...whyOf(failed), isOver: true };
}

function keyWarning(name: string, key: StoredPgpKey | undefined, now: number): KeyWarning | undefined {
	if (!key) return { ...missingKey(name), isOver: true };
	if (key.revokedAt !== null) return { ...endedKey(name, 'revoked'), isOver: true };
	if (key.expiresAt === null) return undefined;
	const left = key.expiresAt.getTime() - now;
	if (left <= 0) return { ...endedKey(name, 'expired'), isOver: true };
	if (left > SOON_DAYS * DAY_MS) return undefined;
	const day = key.expiresAt.toISOString().slice(0, 10);
	const reason = `the key ${name} ends on ${day}: import or create a new one before`;
	return { ...why(reason, 'pgp-key-ends', { key: name, day }), isOver: false };
}

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
