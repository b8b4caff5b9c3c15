// Manages where accounts want to be told of events. Endpoints belong to the primary account, so callers give its id.

import { cardNumberProblem, urlCardNumberProblem } from '../../base/card/spelling/clear-text.ts';
import type { Clock } from '../../base/clock.ts';
import { transact } from '../../base/database/dialect.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import { makeUlid } from '../../base/database/ulid.ts';
import { badInput, ServiceError } from '../../base/errors.ts';
import { readWhy, told, why } from '../../base/failures.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { findValue, sealValue } from '../../base/keys/rows/sealed-values.ts';
import { EVENT_NAMES, type EventName, isEventName } from '../../base/outbox/event-types.ts';
import { MAIL_ADDRESS } from '../../base/settings/card-page-keys.ts';
import { nearestName } from '../../base/settings/layers.ts';
import { Secret } from '../../base/settings/secret.ts';
import type { Owner } from '../../people/identity/principal.ts';
import type { Actor } from '../../trail/actor.ts';
import type { Audit } from '../../trail/audit.ts';
import { deliveryStore } from './delivery-store.ts';
import {
	type EndpointRow,
	endpointStore,
	PAUSED_UNTIL_MS,
	sealedEventEndpoints,
	sealedEventSecrets,
} from './endpoint-store.ts';
import { kindOf, makeSecret, receiverSecret, type SignatureKind } from './signature.ts';

/** Describes an endpoint as it may be shown, without its secret. */
export type StoredEndpoint = ReturnType<typeof shown>;

/** An endpoint with what the receiver has to know to check signatures, which is shown once. */
export interface EndpointWithSecret {
	readonly endpoint: StoredEndpoint;
	readonly secret: Secret;
}

export interface EndpointPlan {
	readonly name: string;
	readonly url: string;
	readonly types: readonly string[] | undefined;
	readonly signature: SignatureKind;
}

/** A secret, and until when it is used beside a newer one; null for the newest. */
interface StoredSecret {
	readonly secret: string;
	readonly untilMs: number | null;
}

const MAX_ENDPOINTS = 50;
/** After a rotation, calls are signed by the former secret too for this long. */
const OVERLAP_MS = 24 * 3_600_000;
/** A header has a limited length, so at most this many secrets sign a call. */
const MAX_SECRETS = 4;
const NAME = /^[A-Za-z0-9][\w-]{0,63}$/;
const MAX_URL = 2_000;
/** No type is longer, and a longer text takes long to compare. */
const MAX_TYPE = 40;
/** So many unknown types are told. The nearest name of each takes a while to find. */
const MOST_TOLD = 10;
const MAILBOX = 'mailto:';

export type EventEndpoints = ReturnType<typeof openEventEndpoints>;

/** Gives access to the stored endpoints; the database must be migrated. */
export function openEventEndpoints(parts: {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly audit: Pick<Audit, 'record'>;
	readonly clock: Clock;
}) {
	const { database, keyRing, audit, clock } = parts;
	const store = endpointStore(database.knex);

	const getRow = async (accountId: AccountId, name: string): Promise<EndpointRow> => {
		const read = () => store.find(accountId, name);
		const row = isName(name) ? await keyRing.seals.find(sealedEventEndpoints, read) : undefined;
		if (row) return row;
		throw badInput('name', 'the account has no endpoint with this name', told('not-there'));
	};
	/** Writes an endpoint in the place of the one of its name, and lets it be told again if it was disabled. */
	const write = async (
		{ accountId, userId }: Owner,
		plan: Pick<EndpointRow, 'name' | 'kind' | 'target' | 'types'>,
		{ secrets, action, actor }: { secrets: readonly StoredSecret[] | null; action: string; actor: Actor },
	): Promise<StoredEndpoint> => {
		const key = await keyRing.current('secret');
		const now = clock.now().getTime();
		const place = { account_id: accountId, name: plan.name };
		const sealed = secrets ? sealValue(key, sealedEventSecrets, place, secrets) : { key_id: null, sealed: null };
		await keyRing.seals.transact(database, async (transaction, sealer) => {
			const within = endpointStore(transaction);
			const former = await within.find(accountId, plan.name);
			if (!former && (await within.list(accountId)).length >= MAX_ENDPOINTS) {
				throw new ServiceError('bad-input-data', {
					moreInfo: `an account has at most ${MAX_ENDPOINTS} endpoints`,
					told: told('at-most', { limit: MAX_ENDPOINTS }),
				});
			}
			const row = {
				...plan,
				account_id: accountId,
				id: former?.id ?? makeUlid(now),
				...sealed,
				disabled_at: null,
				disabled_reason: null,
				told: null,
				failing_since: null,
				// Whoever has paused an endpoint resumes it, too.
				rest_until: former?.rest_until === PAUSED_UNTIL_MS ? PAUSED_UNTIL_MS : null,
				created_at: now,
				updated_at: now,
			};
			await within.put(await sealer.renew(transaction, sealedEventEndpoints, row));
			const { name, kind, types } = plan;
			// The path of a URL can hold a password of the receiver, so the trail names only the host.
			const target = kind === 'webhook' ? new URL(plan.target).host : plan.target;
			const details = { name, kind, target, types: types ?? 'all' };
			await audit.record({ actor, action, subject: `account ${userId}`, details }, transaction);
		});
		return shown(await getRow(accountId, plan.name), secrets);
	};
	const rest = async (
		{ accountId, userId }: Owner,
		name: string,
		{ actor, isPaused }: { readonly actor: Actor; readonly isPaused: boolean },
	): Promise<StoredEndpoint> => {
		const row = await getRow(accountId, name);
		if (row.disabled_at !== null) throw endpointDisabled();
		await transact(database, async (transaction) => {
			if (!(await endpointStore(transaction).pause(row.id, isPaused ? PAUSED_UNTIL_MS : null))) return;
			const action = isPaused ? 'event-endpoint.pause' : 'event-endpoint.resume';
			await audit.record({ actor, action, subject: `account ${userId}`, details: { name } }, transaction);
		});
		return shownRow(await getRow(accountId, name));
	};
	const shownRow = async (row: EndpointRow) => shown(row, await openSecrets(keyRing, row));

	return {
		/** Saves an endpoint that is called, in place of the one with its name, with a new secret. */
		async put(owner: Owner, plan: EndpointPlan, actor: Actor): Promise<EndpointWithSecret> {
			const { name } = plan;
			requireName(name);
			const row = { name, kind: 'webhook' as const, target: urlOf(plan.url), types: typesOf(plan.types) };
			const secret = makeSecret(plan.signature);
			const secrets = [{ secret, untilMs: null }];
			const endpoint = await write(owner, row, { secrets, action: 'event-endpoint.put', actor });
			return { endpoint, secret: new Secret(receiverSecret(secret)) };
		},
		/** Saves a mailbox, in place of the one with its address. */
		async putMail(owner: Owner, { to, types }: { to: string; types: readonly string[] | undefined }, actor: Actor) {
			if (!MAIL_ADDRESS.test(to))
				throw badInput('to', 'expected the address of one mailbox', told('mail-address-malformed'));
			refuseCard('to', cardNumberProblem(to));
			const row = { name: MAILBOX + to, kind: 'mail' as const, target: to, types: typesOf(types) };
			return write(owner, row, { secrets: null, action: 'event-mail.put', actor });
		},
		/** Gives an endpoint a new secret. For a day, calls are signed by the former one too. */
		async rotate(owner: Owner, name: string, actor: Actor): Promise<EndpointWithSecret> {
			const row = await getRow(owner.accountId, name);
			const former = await openSecrets(keyRing, row);
			if (!former) throw badInput('name', 'a mailbox has no secret');
			const now = clock.now().getTime();
			const secret = makeSecret(kindOf(former[0].secret));
			const kept = former
				.filter(({ untilMs }) => untilMs === null || untilMs > now)
				.map((each) => ({ ...each, untilMs: each.untilMs ?? now + OVERLAP_MS }));
			const secrets = [{ secret, untilMs: null }, ...kept].slice(0, MAX_SECRETS);
			const { kind, target, types } = row;
			const plan = { name, kind, target, types };
			const endpoint = await write(owner, plan, { secrets, action: 'event-endpoint.rotate', actor });
			return { endpoint, secret: new Secret(receiverSecret(secret)) };
		},
		async list(accountId: AccountId): Promise<readonly StoredEndpoint[]> {
			const rows = await keyRing.seals.list(sealedEventEndpoints, () => store.list(accountId));
			return Promise.all(rows.map(shownRow));
		},
		/** @throws ServiceError if there is none with this name */
		async get(accountId: AccountId, name: string): Promise<StoredEndpoint> {
			return shownRow(await getRow(accountId, name));
		},
		/** Lets events wait for an endpoint until it is resumed. @throws ServiceError if it is disabled */
		pause: (owner: Owner, name: string, actor: Actor) => rest(owner, name, { actor, isPaused: true }),
		/** Delivers to an endpoint again that was paused, also what waits. */
		resume: (owner: Owner, name: string, actor: Actor) => rest(owner, name, { actor, isPaused: false }),
		/** Removes an endpoint, and gives up what waits for it; returns whether there was one. */
		async remove({ accountId, userId }: Owner, name: string, actor: Actor): Promise<boolean> {
			if (!isName(name)) return false;
			return keyRing.seals.transact(database, async (transaction, sealer) => {
				const row = await endpointStore(transaction).remove(accountId, name);
				if (!row) return false;
				await sealer.end(transaction, sealedEventEndpoints, row);
				const now = clock.now().getTime();
				const given = why('the endpoint was removed', 'endpoint-removed');
				await deliveryStore(database).giveUp(transaction, row.id, given, now);
				const details = { name };
				const subject = `account ${userId}`;
				await audit.record({ actor, action: 'event-endpoint.remove', subject, details }, transaction);
				return true;
			});
		},
		/** Returns where an endpoint is called and the secrets that sign now; undefined if it is gone or a mailbox. */
		async findTarget(row: EndpointRow): Promise<{ url: URL; secrets: readonly string[] } | undefined> {
			const secrets = await openSecrets(keyRing, row);
			const now = clock.now().getTime();
			const used = secrets?.filter(({ untilMs }) => untilMs === null || untilMs > now);
			return used && { url: new URL(row.target), secrets: used.map(({ secret }) => secret) };
		},
		/** Returns the row of an endpoint by its name, checked. */
		getRow,
		/** Returns the row of an endpoint by its id, checked; undefined if it is gone or was tampered with. */
		async findRow(id: string): Promise<EndpointRow | undefined> {
			return keyRing.seals.find(sealedEventEndpoints, () => store.findById(id));
		},
	};
}

/** Refuses what makes no sense for an endpoint that was disabled. */
export function endpointDisabled(): ServiceError {
	const problem = 'is disabled: event endpoint put enables it again';
	return badInput('name', problem);
}

/** Tells whether an endpoint can have a name. Nothing else is looked up, because a database refuses some texts. */
function isName(text: string): boolean {
	return NAME.test(text) || (text.startsWith(MAILBOX) && MAIL_ADDRESS.test(text.slice(MAILBOX.length)));
}

async function openSecrets(keyRing: KeyRing, row: EndpointRow): Promise<readonly StoredSecret[] | null> {
	return (await findValue<StoredSecret[]>(keyRing, sealedEventSecrets, row)) ?? null;
}

function shown(row: EndpointRow, secrets: readonly StoredSecret[] | null) {
	return {
		name: row.name,
		kind: row.kind,
		target: row.target,
		/** Null for all types. */
		types: row.types === null ? null : row.types.split(','),
		/** How calls are signed; null for a mailbox. */
		signature: secrets && kindOf(secrets[0].secret),
		state: stateOf(row),
		/** Why it was disabled; null for one that is not. */
		failure: readWhy({ reason: row.disabled_reason, told: row.told }),
		createdAt: new Date(row.created_at),
		updatedAt: new Date(row.updated_at),
	};
}

/** Events wait for an endpoint that is paused, and none is kept for one that is disabled. */
function stateOf(row: EndpointRow): 'disabled' | 'paused' | 'failing' | 'active' {
	const { disabled_at, rest_until, failing_since } = row;
	if (disabled_at !== null) return 'disabled';
	if (rest_until === PAUSED_UNTIL_MS) return 'paused';
	return failing_since !== null ? 'failing' : 'active';
}

function requireName(text: string): void {
	if (!NAME.test(text)) {
		const problem = 'expected 1 to 64 letters, digits, - and _, which begin with a letter or digit';
		throw badInput('name', problem, told('name-malformed', { most: 64 }));
	}
	refuseCard('name', cardNumberProblem(text));
}

function refuseCard(field: string, problem: string | undefined): void {
	if (problem !== undefined) throw badInput(field, problem, told('like-a-card'));
}

function urlOf(text: string): string {
	const url = text.length <= MAX_URL && URL.canParse(text) ? new URL(text) : undefined;
	const isCallable = url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
	if (!isCallable) {
		throw badInput(
			'url',
			`expected a URL that begins with https or http, without user name and password, of at most ${MAX_URL} characters`,
			told('url-malformed'),
		);
	}
	refuseCard('url', urlCardNumberProblem(url.href));
	return url.href;
}

function typesOf(types: readonly string[] | undefined): string | null {
	if (types === undefined || types.length === 0) return null;
	const unknown: string[] = [];
	for (const [at, type] of types.entries()) {
		if (isEventName(type)) continue;
		unknown.push(`number ${at + 1} is ${unknownType(type)}`);
		if (unknown.length === MOST_TOLD) break;
	}
	if (unknown.length > 0) throw badInput('types', unknown.join('; '));
	return [...new Set(types as EventName[])].join(',');
}

/** Says that a type of events is not known, with the nearest one. It does not repeat what was given. */
export function unknownType(given: string): string {
	const nearest = nearestName(given.slice(0, MAX_TYPE), EVENT_NAMES);
	return `not known: ${nearest === null ? '' : `perhaps ${nearest}; `}docs/events.md lists the types`;
}
