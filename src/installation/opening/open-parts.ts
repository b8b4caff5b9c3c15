// Opens the objects that most commands need, in the same order as the daemon: database, keys, audit trail, identity. It
// can do so while a daemon is running. Command files import this file inside their actions only, so that `--help` does
// not wait for a database driver to load.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dialectOf, sqlitePath } from '../../base/database/dialect.ts';
import { requireNotMoved } from '../../base/database/moved.ts';
import { type Database, openDatabase } from '../../base/database/open.ts';
import { migrate, neededOf, readSchema, requireNothingChanged } from '../../base/database/schema.ts';
import type { OpenedKeys } from '../../base/keys/environment-keys.ts';
import { openKeyRing } from '../../base/keys/key-ring.ts';
import { keyStore } from '../../base/keys/key-store.ts';
import { createRootKeyFile } from '../../base/keys/providers/file.ts';
import { openRootKey } from '../../base/keys/providers/open-root-key.ts';
import { findService, notWrappedBy } from '../../base/keys/providers/wrapped-form.ts';
import { RootKeyError } from '../../base/keys/root-key.ts';
import type { BrokenRow } from '../../base/keys/rows/row-seals.ts';
import { connectionsOf } from '../../base/settings/processes.ts';
import type { Settings } from '../../base/settings/settings.ts';
import { openIdentity } from '../../people/identity/identity.ts';
import { openAudit } from '../../trail/audit.ts';
import type { CommandContext } from '../frame/command.ts';
import { systemUser } from '../frame/invocation.ts';
import { requireSealKey } from '../keys/adopt-rows.ts';
import type { Authorization } from './authorize.ts';
import { watchIntegrity } from './integrity-watch.ts';

export type InstallationParts = Awaited<ReturnType<typeof openDaemonParts>>;

/** What a command gets: the parts, and who runs it. */
export type CommandParts = InstallationParts & Omit<Authorization, 'actor'>;

/** The parts of a command's context that are needed to open its parts. */
export type CommandOpening = Pick<CommandContext, 'settings' | 'opened' | 'invocation' | 'output'>;
export interface OpeningOptions {
	/** This function is called for refused rows; `isNew` is true for those that got an entry in the trail. */
	onBroken?(row: BrokenRow, isNew: boolean): void;
	/**
	 * This function is called when the file of ended rows cannot be written. A command needs none, because the daemons
	 * write what they find in the table.
	 */
	onEndedFileFailed?(error: unknown): void;
	/** This function is called when the certificate for callers, which ends at `endsAt`, could not be renewed. */
	onRenewalFailed?(error: unknown, endsAt: Date): void;
	/**
	 * Whether the key of the seals has to be there, which is the default. Only `key adopt`, which makes a new one, sets this
	 * to false.
	 */
	readonly needsSealKey?: boolean;
	/** Memory that the threads of a daemon share, to take turns in writing to the database. Only they set it. */
	readonly writeTurn?: SharedArrayBuffer;
	/** The environment keys that the daemon has opened. Only threads of a daemon set it. */
	readonly openedKeys?: OpenedKeys;
	/** The lane of the audit trail to write in, which is there. Only threads of a daemon set it. */
	readonly lane?: number;
}

/**
 * Opens database, keys, audit trail and identity for a command, and then checks that its user may run it. A command that
 * is refused changes nothing but the trail, unless the installation is a new one, which has no operators. A command in
 * the wrong folder does not create an installation.
 * @throws OperatorError if the user may not run the command, or another error if there is no installation
 */
export async function openCommandParts(context: CommandOpening, options: OpeningOptions = {}): Promise<CommandParts> {
	requireInstallation(context.settings);
	const parts = await openDaemonParts(context, { ...options, needsSealKey: false });
	// The check of the user is loaded only now, because threads that process files load this module too and check no
	// user.
	const { authorize } = await import('./authorize.ts');
	const requireSeals = async () => {
		if (options.needsSealKey ?? true) await requireSealKey(parts.keyRing);
	};
	// The approval of a second operator counts once, so it is not used up for a command that cannot run.
	const authorization = await authorize(parts, { ...context, beforeApproval: requireSeals });
	await requireSeals();
	return { ...parts, ...authorization };
}

/**
 * Opens database, keys, audit trail and identity without checking a user, and registers the database for closing. If a
 * sandbox on the embedded database is empty, its schema and master key are created, as the daemon does at its first
 * start.
 * @throws when the schema is older than this program
 */
export async function openDaemonParts(
	{ settings, opened }: Pick<CommandContext, 'settings' | 'opened'>,
	options: OpeningOptions = {},
) {
	const { environment } = settings;
	const { writeTurn } = options;
	const maxConnections = connectionsOf(settings);
	const database = opened('database', await openDatabase({ url: settings.databaseUrl, maxConnections, writeTurn }));
	await requireSchema(database, settings);
	await requireNotMoved(database.knex);
	await requireMasterKeyFile(database, settings);
	const root = opened('master key', openRootKey(settings));
	const keyRing = await openKeyRing({
		database,
		root,
		environment,
		opened: options.openedKeys,
		endedFile: join(settings.dataDir, 'ended-rows.jsonl'),
		onEndedFileFailed: options.onEndedFileFailed,
	});
	const audit = await openAudit({ database, keyRing, lane: options.lane });
	opened('watch over rows', watchIntegrity({ seals: keyRing.seals, audit }, options.onBroken));
	if (options.needsSealKey ?? true) await requireSealKey(keyRing);
	const { sandboxUnits, productionUnits } = settings.allowance;
	const allowanceUnits = environment === 'sandbox' ? sandboxUnits : productionUnits;
	const identity = openIdentity({
		database,
		keyRing,
		audit,
		environment,
		allowanceUnits,
		onRenewalFailed: options.onRenewalFailed,
	});
	// The actor is the person who runs the command, for the audit trail.
	return { database, keyRing, audit, identity, actor: `operator ${systemUser()}` };
}

function requireInstallation({ databaseUrl, dataDir }: Settings): void {
	if (dialectOf(databaseUrl) !== 'sqlite' || existsSync(sqlitePath(databaseUrl))) return;
	throw new Error(
		`there is no installation in ${dataDir}: run the command in the folder of yours, or name its data directory in ` +
			'TOKENDROP_DATA_DIR or --config; `tokendrop serve` and `tokendrop migrate` make a new one',
	);
}

async function requireSchema(database: Database, settings: Settings): Promise<void> {
	const state = await readSchema(database);
	requireNothingChanged(state);
	const needed = neededOf(state);
	if (needed.length === 0) return;
	const isEmpty = !(await database.knex.schema.hasTable('installation'));
	// If another process is setting up the sandbox at this moment, `migrate` waits until that is done and finds nothing
	// left to do.
	if (database.dialect === 'sqlite' && settings.environment === 'sandbox' && (isEmpty || (await isFresh(database)))) {
		await migrate(database);
		return;
	}
	throw new Error(`the database lacks ${needed.join(', ')}: run \`tokendrop migrate\` first`);
}

/** Tells whether the schema was never used, because a first start is in progress or was interrupted. */
async function isFresh(database: Database): Promise<boolean> {
	return (await keyStore(database.knex).findEnvironment()) === undefined;
}

/** Makes the file of the master key for a new sandbox. @throws RootKeyError if any other installation has none */
async function requireMasterKeyFile(database: Database, settings: Settings): Promise<void> {
	const path = settings.masterKeyFile;
	if (settings.keys.provider !== 'file' || existsSync(path)) return;
	// A master key is created only for a database without keys. If the database has keys, its master key was lost, and
	// a new one would hide that.
	const latest = await keyStore(database.knex).findLatest('environment', 0);
	const service = latest && findService(latest.wrapped);
	if (service !== undefined) throw notWrappedBy(`file ${path}`, service);
	if (latest !== undefined || settings.environment === 'production') {
		throw new RootKeyError(`file ${path}: there is no master key; keys.provider and masterKeyFile say where it is`);
	}
	// If another process creates the file at the same time, its key is used.
	await createRootKeyFile(path);
}
