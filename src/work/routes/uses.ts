// Tells which routes and folders name a destination or an OpenPGP key, so that somebody who ends one learns what fails then.

import { setImmediate as turn } from 'node:timers/promises';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { keysIn, type MessageOptions } from '../../base/openpgp/message-options.ts';
import { parseMessageOptions } from '../../engine/options.ts';
import type { OwnedRow } from '../../people/identity/accounts/named-rows-store.ts';
import { type FormatOptionsRow, formatOptionsStore, sealedFormatOptions } from '../jobs/format-options-store.ts';
import { pgpKeyStore, sealedPgpKeys } from '../pgp/pgp-key-store.ts';
import { destinationStore, sealedDestinations } from '../relay/partners/destination-store.ts';
import { messageOptionsOf } from './document/route.ts';
import { type RouteRow, routeStore, routeSubject, sealedRoutes } from './route-store.ts';
import { routeOf } from './routes.ts';

interface Parts {
	readonly database: Database;
	readonly keyRing: Pick<KeyRing, 'seals'>;
}

export interface NamedThing {
	readonly kind: 'destination' | 'key';
	readonly name: string;
}

/** A route or a folder, as the trail names it, and what it names itself. */
interface User {
	readonly by: string;
	readonly ownerId: AccountId;
	readonly names: readonly NamedThing[];
}

/** So many documents are read before others get a turn. */
const READ_AT_ONCE = 50;

/** Lists the routes and folders of a primary account, and of its sub-accounts, that name something of it. */
export async function listUsers(parts: Parts, ownerId: AccountId, { kind, name }: NamedThing): Promise<string[]> {
	const found: string[] = [];
	for await (const { by, names } of eachUser(parts, ownerId))
		if (names.some((each) => each.kind === kind && each.name === name)) found.push(by);
	return found;
}

/** Lists what routes and folders of all accounts name, and what is removed or revoked. Routes that are paused are left out. */
export async function listMissing(parts: Parts): Promise<(NamedThing & { readonly by: string })[]> {
	const { database, keyRing } = parts;
	const destinations = destinationStore(database.knex);
	const keys = pgpKeyStore(database.knex);
	const textOf = (ownerId: AccountId, kind: NamedThing['kind'], name: string) => `${ownerId} ${kind} ${name}`;
	const there = new Set([
		...(await keyRing.seals.list(sealedDestinations, () => destinations.listOwned())).map((row) =>
			textOf(row.owner_id, 'destination', row.name),
		),
		...(await keyRing.seals.list(sealedPgpKeys, () => keys.listUsed())).map((row) =>
			textOf(row.account_id, 'key', row.name),
		),
	]);
	const missing: (NamedThing & { readonly by: string })[] = [];
	for await (const { by, ownerId, names } of eachUser(parts))
		for (const { kind, name } of names) if (!there.has(textOf(ownerId, kind, name))) missing.push({ kind, name, by });
	return missing;
}

async function* eachUser({ database, keyRing }: Parts, ownerId?: AccountId): AsyncGenerator<User> {
	const { knex } = database;
	const routes = await keyRing.seals.list(sealedRoutes, () => routeStore(knex).listOwned(ownerId));
	const folders = await keyRing.seals.list(sealedFormatOptions, () => formatOptionsStore(knex).listOwned(ownerId));
	const read = [
		...routes.filter(({ paused }) => ownerId !== undefined || !paused).map((row) => () => routeUser(row)),
		...folders.map((row) => () => folderUser(row)),
	];
	for (const [nth, user] of read.entries()) {
		yield user();
		if (nth % READ_AT_ONCE === READ_AT_ONCE - 1) await turn();
	}
}

function routeUser(row: OwnedRow<RouteRow>): User {
	const { from, do: work, to } = routeOf(row);
	const ends = [from.place, to.place].flatMap((place) => (place.kind === 'destination' ? [place.destination] : []));
	const destinations = [...new Set(ends)].map((name) => ({ kind: 'destination', name }) as const);
	const by = routeSubject(row.user_id, row.name);
	return { by, ownerId: row.owner_id, names: [...destinations, ...keysNamed(messageOptionsOf(work))] };
}

function folderUser({ user_id, owner_id: ownerId, filter, options }: OwnedRow<FormatOptionsRow>): User {
	const names = keysNamed(parseMessageOptions(JSON.parse(options).pgp));
	return { by: `format-options ${user_id}/${filter}`, ownerId, names };
}

function keysNamed(options: MessageOptions | undefined): NamedThing[] {
	return keysIn(options).map((name) => ({ kind: 'key', name }));
}
