// Manages the credentials of an account at a gateway, which are stored sealed and shown masked.

import type { Clock } from '../../../base/clock.ts';
import type { AccountId, KeyId } from '../../../base/database/ids.ts';
import type { Database } from '../../../base/database/open.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import { type SealedRows, secretsIn } from '../../../base/keys/rows/sealed-rows.ts';
import { openValue, sealValue } from '../../../base/keys/rows/sealed-values.ts';
import { MASK, Secret } from '../../../base/settings/secret.ts';
import type { Actor } from '../../../trail/actor.ts';
import type { Audit } from '../../../trail/audit.ts';
import { credentialsStore, sealedCredentials } from './credentials-store.ts';
import type { Credentials, GatewayDriver } from './driver.ts';

const MAX_VALUE_CHARACTERS = 4096;

/** Holds the problems of credentials by the name of the field, without its content. */
export type CredentialProblems = Readonly<Record<string, readonly string[]>>;

/** Names the account and the id under which credentials are stored, and the person who changes them. */
export interface CredentialsPlace {
	readonly accountId: AccountId;
	readonly id: string;
	readonly actor: Actor;
}

export type GatewayCredentials = ReturnType<typeof openGatewayCredentials>;
export type StoredCredentials = NonNullable<Awaited<ReturnType<GatewayCredentials['find']>>>;

/** Every change is recorded in the audit trail in the same transaction. */
export function openGatewayCredentials(options: {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly audit: Audit;
	readonly clock: Clock;
}) {
	const { database, keyRing, audit, clock } = options;
	const store = credentialsStore(database.knex);
	return {
		async put({ accountId, id, actor }: CredentialsPlace, gateway: string, credentials: Credentials): Promise<void> {
			const now = clock.now().getTime();
			const place = { account_id: accountId, credentials_id: id };
			const sealed = await sealCredentials(keyRing, sealedGatewayCredentials, place, credentials);
			const row = { ...place, gateway, created_at: now, updated_at: now, ...sealed };
			await keyRing.seals.transact(database, async (transaction, sealer) => {
				const within = credentialsStore(transaction);
				const { updated_at = 0 } = (await within.find(accountId, id)) ?? {};
				await within.put(await sealer.renew(transaction, sealedCredentials, { ...row, updated_at }));
				const entry = { actor, action: 'gateway.credentials-put', subject: `gateway credentials ${id}` };
				await audit.record({ ...entry, account: accountId, details: { gateway } }, transaction);
			});
		},
		async find(accountId: AccountId, id: string) {
			const row = await keyRing.seals.find(sealedCredentials, () => store.find(accountId, id));
			if (!row) return undefined;
			const credentials = await openCredentials(keyRing, sealedGatewayCredentials, row);
			const { gateway, created_at, updated_at } = row;
			return { gateway, credentials, createdAt: new Date(created_at), updatedAt: new Date(updated_at) };
		},
		async list(accountId: AccountId) {
			const rows = await keyRing.seals.list(sealedCredentials, () => store.list(accountId));
			return rows.map(({ credentials_id: id, gateway, updated_at }) => ({
				id,
				gateway,
				updatedAt: new Date(updated_at),
			}));
		},
		async remove({ accountId, id, actor }: CredentialsPlace): Promise<boolean> {
			return keyRing.seals.transact(database, async (transaction, sealer) => {
				const row = await credentialsStore(transaction).remove(accountId, id);
				if (!row) return false;
				await sealer.end(transaction, sealedCredentials, row);
				const entry = { actor, action: 'gateway.credentials-remove', subject: `gateway credentials ${id}` };
				await audit.record({ ...entry, account: accountId }, transaction);
				return true;
			});
		},
	};
}

/** Checks the texts of credentials against the schema of their gateway. An empty text is treated as absent. */
export function readCredentials(
	{ credentialsSchema }: Pick<GatewayDriver, 'credentialsSchema'>,
	given: Readonly<Record<string, string | undefined>>,
): { readonly credentials: Credentials; readonly problems: CredentialProblems | undefined } {
	const credentials: Record<string, Secret> = {};
	const problems: Record<string, string[]> = {};
	for (const { name, isRequired, isSecret, pattern, expectation } of credentialsSchema) {
		const value = given[name];
		if (value === undefined || value === '') {
			if (isRequired) problems[name] = ['is required'];
		} else if (isSecret && value === MASK) {
			// A caller who reads credentials, changes a field and writes them back would replace the secret with its mask, so
			// a mask is refused.
			problems[name] = ['expected the secret itself, not its mask'];
		} else if (value.length > MAX_VALUE_CHARACTERS) {
			problems[name] = [`longer than ${MAX_VALUE_CHARACTERS} characters`];
		} else if (!/^[\x20-\x7e]+$/.test(value) || (pattern && !pattern.test(value))) {
			problems[name] = [expectation ?? 'expected visible ASCII characters'];
		} else credentials[name] = new Secret(value);
	}
	const known = new Set(credentialsSchema.map(({ name }) => name));
	for (const name of Object.keys(given)) if (!known.has(name)) problems[name] = ['is not known to this gateway'];
	return { credentials, problems: Object.keys(problems).length > 0 ? problems : undefined };
}

/** Returns the credentials in a form that may be shown. */
export function maskCredentials(
	{ credentialsSchema }: Pick<GatewayDriver, 'credentialsSchema'>,
	credentials: Credentials,
): Record<string, string | null> {
	return Object.fromEntries(
		credentialsSchema.map(({ name, isSecret }) => {
			const value = credentials[name];
			return [name, value === undefined ? null : isSecret ? MASK : value.reveal()];
		}),
	);
}

/** Returns the values of the secret fields, which no reported text may contain. */
export function secretsOf(
	{ credentialsSchema }: Pick<GatewayDriver, 'credentialsSchema'>,
	credentials: Credentials,
): string[] {
	return credentialsSchema.flatMap(({ name, isSecret }) =>
		isSecret && credentials[name] ? [credentials[name].reveal()] : [],
	);
}

/** Seals credentials for a row, which `row` names. */
export async function sealCredentials(
	keyRing: KeyRing,
	rows: SealedRows,
	row: object,
	credentials: Credentials,
): Promise<ReturnType<typeof sealValue>> {
	const texts = Object.fromEntries(Object.entries(credentials).map(([name, value]) => [name, value.reveal()]));
	return sealValue(await keyRing.current('secret'), rows, row, texts);
}

/** @throws SealError, RootKeyError */
export async function openCredentials(
	keyRing: KeyRing,
	rows: SealedRows,
	row: { readonly key_id: KeyId },
): Promise<Credentials> {
	const texts = await openValue<Record<string, string>>(keyRing, rows, row);
	return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, new Secret(text)]));
}

/** Names the table and columns with the credentials of accounts, so that they can be sealed again under a new key. */
export const sealedGatewayCredentials = secretsIn(sealedCredentials, ({ account_id, credentials_id }, keyId) =>
	Buffer.from(`tokendrop gateway credentials ${account_id}/${credentials_id}/${keyId}`),
);
