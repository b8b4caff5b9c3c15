// Lists everything that ends by itself: certificates, keys and host keys. doctor, the portal, the metrics and the alerts ask
// here, so that they agree on what ends soon.

import { X509Certificate } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { transact } from '../../base/database/dialect.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { type NewEvent, recordEvents } from '../../base/outbox/record-events.ts';
import type { Settings } from '../../base/settings/settings.ts';
import { apiKeyStore } from '../../people/identity/credentials/api-key-store.ts';
import { certificateStore } from '../../people/identity/credentials/certificate-store.ts';
import type { Identity } from '../../people/identity/identity.ts';
import { listEnding } from '../../work/pgp/pgp-keys.ts';
import { unsealProfile } from '../../work/relay/profiles/profile-secrets.ts';
import { profileStore } from '../../work/relay/profiles/profile-store.ts';
import { termOf } from '../keys/key-periods.ts';

/**
 * The kinds of what ends. `tls`: the certificate of the HTTP listener. `authority`: certificates that are trusted, by the
 * settings or by a profile. `client-certificate`: of a profile. `access-tokens`: the certificate of callers. `key`: a key of the
 * vault, which is replaced by itself. `pgp-key`: an OpenPGP key of an account. `host-key`: of sFTP, which has no end but grows old.
 */
export type ExpiryKind =
	| 'tls'
	| 'authority'
	| 'client-certificate'
	| 'access-tokens'
	| 'api-key'
	| 'pgp-key'
	| 'key'
	| 'host-key';

export interface Expiring {
	readonly kind: ExpiryKind;
	/** What it is, for people: a file, or an account and the name of its thing. */
	readonly name: string;
	readonly endsAtMs: number;
	/** The account whose thing it is; absent for things of the installation. */
	readonly accountId?: AccountId;
	/** `soon`: it is time to do something. `over`: the end has passed. */
	readonly term: 'running' | 'soon' | 'over';
}

interface ExpiryParts {
	readonly database: Pick<Database, 'knex'>;
	readonly keyRing: KeyRing;
	readonly identity: { readonly accounts: Pick<Identity['accounts'], 'userIdsOf'> };
}

type ExpirySettings = Pick<Settings, 'dataDir' | 'http' | 'mail' | 'audit' | 'keys' | 'drops'>;

const DAY_MS = 86_400_000;
/** Certificates are announced this long before their end. To get a new one takes people days. */
const SOON_MS = 30 * DAY_MS;
/** Host keys should not be older than this, since nobody knows who has copied one in all the time. */
const HOST_KEY_MS = 3 * 365 * DAY_MS;
/** An API key or OpenPGP key that ended longer ago is nobody's concern any more. */
const PAST_MS = 30 * DAY_MS;

/** Returns everything that has an end, soonest first. What cannot be read is left out: other checks tell of it. */
export async function listExpiring(parts: ExpiryParts, settings: ExpirySettings, now: number): Promise<Expiring[]> {
	const { keys } = settings;
	const term = (endsAtMs: number, soonMs = SOON_MS) =>
		endsAtMs <= now ? 'over' : endsAtMs - soonMs <= now ? 'soon' : 'running';
	const certificate = (
		kind: ExpiryKind,
		name: string,
		endsAtMs: number | undefined,
		accountId?: AccountId,
	): Expiring[] => (endsAtMs === undefined ? [] : [{ kind, name, endsAtMs, accountId, term: term(endsAtMs) }]);
	const { http, mail, audit, drops, dataDir } = settings;
	const files = [http.tlsCertFile, mail.caFile, audit.syslogCaFile, drops.caFile];
	const [tls, mailAuthority, syslogAuthority, dropsAuthority] = await Promise.all(
		files.map((path) => path && readFile(path, 'utf8').catch(() => null)),
	);
	const found: Expiring[] = [
		...certificate('tls', 'http.tlsCertFile', firstEnd(tls)),
		...certificate('authority', 'mail.caFile', lastEnd(mailAuthority)),
		...certificate('authority', 'audit.syslogCaFile', lastEnd(syslogAuthority)),
		...certificate('authority', 'drops.caFile', lastEnd(dropsAuthority)),
		...(await hostKeys(dataDir)).map(({ name, madeMs }): Expiring => {
			const endsAtMs = madeMs + HOST_KEY_MS;
			return { kind: 'host-key', name, endsAtMs, term: term(endsAtMs) };
		}),
	];
	const { knex } = parts.database;
	const newest = await certificateStore(knex).findNewestEnd();
	found.push(...certificate('access-tokens', 'of callers', newest));
	for (const { kind, name, endsAtMs, accountId } of await ofProfiles(parts)) {
		found.push(...certificate(kind, name, endsAtMs, accountId));
	}
	const apiKeys = await apiKeyStore(knex).listEnding(now - PAST_MS);
	const pgpKeys = (await listEnding(parts.database)).filter(({ endsAtMs }) => endsAtMs > now - PAST_MS);
	const active = (await parts.keyRing.list()).filter(({ state }) => state === 'active');
	const ids = [...apiKeys, ...active].map(({ account_id }) => account_id as AccountId);
	const owners = [...ids, ...pgpKeys.map(({ accountId }) => accountId)];
	const users = await parts.identity.accounts.userIdsOf([...new Set(owners)]);
	for (const { id, account_id, hint, valid_until } of apiKeys) {
		const endsAtMs = valid_until!;
		const name = `${users.get(account_id) ?? account_id}: API key ${id} (…${hint})`;
		found.push({
			kind: 'api-key',
			name,
			endsAtMs,
			accountId: account_id,
			term: term(endsAtMs, keys.warnDays * DAY_MS),
		});
	}
	for (const { accountId, name, endsAtMs } of pgpKeys) {
		const whose = `${users.get(accountId) ?? accountId}: OpenPGP key ${name}`;
		found.push({ kind: 'pgp-key', name: whose, endsAtMs, accountId, term: term(endsAtMs) });
	}
	for (const row of active) {
		const { endsAt, term: ofKey } = termOf(row, keys, now);
		const user = users.get(row.account_id as never);
		// A key whose account was removed is not replaced, because there are no cards left that a new one could seal.
		if (endsAt === null || (row.account_id !== 0 && user === undefined)) continue;
		const name = `${user === undefined ? '' : `${user}: `}${row.purpose}`;
		found.push({ kind: 'key', name, endsAtMs: endsAt, term: ofKey === 'due' ? 'over' : ofKey });
	}
	return found.sort((one, other) => one.endsAtMs - other.endsAtMs);
}

/** Returns the certificates of the accounts' profiles: their own, and those that they trust. */
async function ofProfiles({ database, keyRing, identity }: ExpiryParts) {
	const rows = await profileStore(database.knex).listWithCertificates();
	const users = await identity.accounts.userIdsOf([...new Set(rows.map(({ account_id }) => account_id))]);
	const found: { kind: ExpiryKind; name: string; endsAtMs: number | undefined; accountId: AccountId }[] = [];
	for (const row of rows) {
		// A row that was tampered with is told of where it is used.
		const profile = await unsealProfile(row, keyRing).catch(() => undefined);
		if (!profile) continue;
		const accountId = row.account_id;
		const name = `${users.get(row.account_id) ?? row.account_id}: profile ${row.name}`;
		found.push({
			kind: 'client-certificate',
			name,
			accountId,
			endsAtMs: firstEnd(profile.clientCertificate?.certificate),
		});
		found.push({ kind: 'authority', name, accountId, endsAtMs: lastEnd(profile.authorities) });
	}
	return found;
}

async function hostKeys(dataDir: string): Promise<{ name: string; madeMs: number }[]> {
	const folder = join(dataDir, 'host-keys');
	const names = await readdir(folder).catch(() => []);
	const keys = names.filter((name) => name.startsWith('ssh_host_') && name.endsWith('_key'));
	return Promise.all(keys.map(async (name) => ({ name, madeMs: (await stat(join(folder, name))).mtimeMs })));
}

/** Returns when the first certificate of a chain ends: with it the chain is not trusted any more. */
function firstEnd(pem: string | null | undefined): number | undefined {
	const ends = endsIn(pem);
	return ends.length === 0 ? undefined : Math.min(...ends);
}

/** Returns when the last of several trusted certificates ends: until then there is one by which others can be trusted. */
function lastEnd(pem: string | null | undefined): number | undefined {
	const ends = endsIn(pem);
	return ends.length === 0 ? undefined : Math.max(...ends);
}

function endsIn(pem: string | null | undefined): number[] {
	const blocks = pem?.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
	return blocks.flatMap((block) => {
		try {
			return [Date.parse(new X509Certificate(block).validTo)];
		} catch {
			return [];
		}
	});
}

/**
 * Records an event for each key and certificate of an account that ends soon, once for each end. What belongs to the
 * installation is told by doctor, the metrics and the alerts. Returns how many end soon.
 */
export async function tellExpiring(
	{ database, clock, ...parts }: { database: Database; keyRing: KeyRing; identity: Identity; clock: Clock },
	settings: ExpirySettings,
): Promise<number> {
	const now = clock.now().getTime();
	const found = await listExpiring({ database, ...parts }, settings, now);
	const events = found.flatMap((each) => (each.term === 'soon' ? eventsOf(each) : []));
	await transact(database, (transaction) => recordEvents(transaction, events, now));
	return events.length;
}

function eventsOf({ accountId, kind, name, endsAtMs }: Expiring): NewEvent[] {
	// A key of the vault is replaced by itself.
	if (accountId === undefined || kind === 'key') return [];
	const type = kind === 'api-key' || kind === 'pgp-key' ? 'key.expiring' : 'certificate.expiring';
	const endsAt = new Date(endsAtMs).toISOString();
	const once = `${type} ${kind} ${name} ${endsAt}`;
	return [{ type, accountId, about: `end of ${kind}`, data: { kind, name, endsAt }, once }];
}
