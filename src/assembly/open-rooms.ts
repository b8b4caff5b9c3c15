// What most commands need opened, in the order in which the daemon opens it: database, keys, audit trail, identity. Works
// beside a running daemon. Imported inside actions only.

import { existsSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { type Audit, openAudit } from '../audit/audit.ts';
import type { CommandContext } from '../commands/command.ts';
import {
	type Database,
	findMissingMigrations,
	migrate,
	openDatabase,
	requireKnownMigrations,
} from '../database/open.ts';
import { type Identity, openIdentity } from '../identity/identity.ts';
import { type KeyRing, openKeyRing } from '../keys/key-ring.ts';
import { keyStore } from '../keys/key-store.ts';
import { openEnvRootKey } from '../keys/providers/env.ts';
import { createRootKeyFile, openFileRootKey } from '../keys/providers/file.ts';
import { type RootKey, RootKeyError } from '../keys/root-key.ts';
import type { BrokenRow } from '../keys/row-seals.ts';
import type { Settings } from '../settings.ts';
import { adoptRows } from './adopt-rows.ts';
import { watchIntegrity } from './integrity-watch.ts';

export interface Rooms {
	readonly database: Database;
	readonly keyRing: KeyRing;
	readonly audit: Audit;
	readonly identity: Identity;
	/** Who runs the command, for the audit trail. */
	readonly actor: string;
}

export interface RoomOptions {
	/** Hears of rows that were refused; `isNew` for those that got an entry in the trail. */
	onBroken?(row: BrokenRow, isNew: boolean): void;
	/** False for the command that does so itself. */
	readonly adoptsRows?: boolean;
}

/**
 * Opens the rooms; the database is registered for closing. A sandbox on the embedded database may be empty: then its
 * schema and master key are made, as the first start of the daemon would.
 */
export async function openRooms(
	{ settings, opened }: Pick<CommandContext, 'settings' | 'opened'>,
	options: RoomOptions = {},
): Promise<Rooms> {
	const { environment } = settings;
	const database = opened('database', await openDatabase({ url: settings.databaseUrl }));
	await requireSchema(database, settings);
	const root = await openRootKey(database, settings);
	const keyRing = await openKeyRing({ database, root, environment });
	const audit = await openAudit({ database, keyRing });
	opened('watch over rows', watchIntegrity({ seals: keyRing.seals, audit }, options.onBroken));
	if (options.adoptsRows ?? true) await adoptRows({ database, keyRing, audit });
	const { sandboxUnits, productionUnits } = settings.allowance;
	const allowanceUnits = environment === 'sandbox' ? sandboxUnits : productionUnits;
	const identity = openIdentity({
		...{ database, keyRing, audit, environment, allowanceUnits },
		endedFile: join(settings.dataDir, 'ended-credentials.jsonl'),
	});
	return { database, keyRing, audit, identity, actor: `operator ${operatorName()}` };
}

async function requireSchema(database: Database, settings: Settings): Promise<void> {
	await requireKnownMigrations(database);
	const missing = await findMissingMigrations(database);
	if (missing.length === 0) return;
	const isEmpty = !(await database.knex.schema.hasTable('installation'));
	// A sandbox that another process is making at this moment is waited for and then found complete.
	if (database.dialect === 'sqlite' && settings.environment === 'sandbox' && (isEmpty || (await isFresh(database)))) {
		await migrate(database);
		return;
	}
	throw new Error(`the database lacks ${missing.join(', ')}: run \`tokendrop migrate\` first`);
}

/** Whether nobody has used the schema yet: a first start is under way, or was killed. */
async function isFresh(database: Database): Promise<boolean> {
	return (await keyStore(database.knex).findEnvironment()) === undefined;
}

async function openRootKey(database: Database, settings: Settings): Promise<RootKey> {
	const { provider, masterKey } = settings.keys;
	if (provider === 'env') return openEnvRootKey(masterKey!.reveal());
	const path = settings.masterKeyFile;
	if (!existsSync(path)) {
		// A new key for a database that has keys would only hide that the old one is lost.
		const isFirst = (await keyStore(database.knex).findLatest('environment', 0)) === undefined;
		if (!isFirst || settings.environment === 'production') {
			throw new RootKeyError(`file ${path}: there is no master key; keys.provider and masterKeyFile say where it is`);
		}
		try {
			createRootKeyFile(path);
		} catch (error) {
			// Another process was faster; its key counts.
			if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
		}
	}
	return openFileRootKey(path);
}

/** A user without a name (any id in a container) is an operator all the same. */
function operatorName(): string {
	try {
		return userInfo().username;
	} catch {
		return String(process.getuid?.() ?? 'unknown');
	}
}
