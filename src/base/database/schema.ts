// Brings the schema up to date, and decides whether this version may work on the schema that is there. For the time of an
// upgrade two versions work on one database: the later one has added what it needs (expand), and what only the earlier
// one uses is still there, until no daemon of it runs (contract).

import type { Knex } from 'knex';
import type { Dialect } from './dialect.ts';
import { lockSchema, withSchemaLock } from './locks.ts';
import { migrations } from './migrations/index.ts';
import type { Migration } from './migrations/migration.ts';
import type { Database } from './open.ts';
import { distributeNew } from './postgres/citus.ts';

/**
 * What a migration does to daemons of earlier versions. `expand` only adds, so they work on. `contract` removes what the
 * version before it no longer uses. `whole` may change anything, so they must be stopped.
 */
export type StepKind = 'expand' | 'contract' | 'whole';

/** Returns the kind of a migration. Its name ends in it, so that an earlier version can read it in the database. */
export function kindOf(name: string): StepKind {
	if (name.endsWith('.expand')) return 'expand';
	return name.endsWith('.contract') ? 'contract' : 'whole';
}

export interface SchemaState {
	/** The migrations that this version has and the database lacks, oldest first. */
	readonly missing: readonly string[];
	/** The migrations that the database has and this version does not know, oldest first. */
	readonly later: readonly string[];
}

/** The name of the last migration that this version has. */
export const LAST_MIGRATION = migrations.at(-1)!.name;

/** Compares the schema with the migrations of this version. It only reads, whereas knex's own list creates tables. */
export async function readSchema(
	database: Pick<Database, 'knex'>,
	steps: readonly Migration[] = migrations,
): Promise<SchemaState> {
	const applied = await appliedMigrations(database);
	const names = steps.map(({ name }) => name);
	return {
		missing: names.filter((name) => !applied.includes(name)),
		later: applied.filter((name) => !names.includes(name)),
	};
}

/**
 * Checks that this version may work on a database with these later migrations.
 * @throws Error if a later version has changed what this one uses, because it might misread or damage its rows
 */
export function requireNothingChanged({ later }: Pick<SchemaState, 'later'>): void {
	const changing = later.filter((name) => kindOf(name) !== 'expand');
	if (changing.length === 0) return;
	throw new Error(
		`the database is of a later version, which added ${changing.join(', ')}: run that version or a later one`,
	);
}

/** Returns the missing migrations without which this version cannot work: all but those that only remove. */
export function neededOf({ missing }: SchemaState): string[] {
	return missing.filter((name) => kindOf(name) !== 'contract');
}

/** Says that an upgrade is under way, and what ends it; undefined if none is. Start from a state that may be opened. */
export function upgradeNotice({ missing, later }: SchemaState): { says: string; todo: string } | undefined {
	if (later.length > 0) {
		return {
			says: `a later version has added ${later.join(', ')}; this version works on beside it, but cannot change the schema`,
			todo:
				'start the later version everywhere and run its `tokendrop migrate`; or go back: run this version everywhere, ' +
				'and leave the database as it is',
		};
	}
	if (missing.length === 0) return undefined;
	return {
		says: `${missing.join(', ')} is not run yet, which removes what only earlier versions use`,
		todo: 'run `tokendrop migrate` when no daemon of an earlier version runs and nobody wants to go back to one',
	};
}

export interface MigrateOptions {
	/** True to stop before the first migration beside which daemons of an earlier version cannot work on. */
	readonly expandOnly?: boolean;
	/**
	 * Is called before migrations that are not `expand` are run, with the last of them. An error that it throws leaves the
	 * database as it was.
	 */
	readonly beforeChange?: (last: string) => Promise<void>;
	readonly steps?: readonly Migration[];
}

/**
 * Brings the schema up to date. Several processes may call it at once, and it may be called after an interrupted run.
 * Returns the names of the migrations that it applied.
 * @throws Error if a later version has changed the schema
 */
export async function migrate(
	database: Database,
	{ expandOnly = false, beforeChange, steps = migrations }: MigrateOptions = {},
): Promise<string[]> {
	return withSchemaLock(database, async () => {
		const state = await readSchema(database, steps);
		requireNothingChanged(state);
		const upTo = expandOnly ? state.missing.findIndex((name) => kindOf(name) !== 'expand') : -1;
		const due = upTo === -1 ? state.missing : state.missing.slice(0, upTo);
		if (due.length === 0) return [];
		const changing = due.findLast((name) => kindOf(name) !== 'expand');
		if (changing !== undefined) await beforeChange?.(changing);
		return apply(
			database,
			steps.filter(({ name }) => due.includes(name)),
		);
	});
}

/** Makes all tables of an empty PostgreSQL database within a transaction, with which they come to stay or do not. */
export async function makeTables(transaction: Knex.Transaction): Promise<void> {
	await lockSchema(transaction);
	await apply({ knex: transaction, dialect: 'postgres' }, migrations);
}

async function apply({ knex, dialect }: Pick<Database, 'knex' | 'dialect'>, steps: Migration[]): Promise<string[]> {
	const config = migrationConfig(dialect, steps);
	// knex keeps its own lock in a row, which a killed process never releases. It is removed, because our own lock already
	// keeps other processes out.
	await knex.migrate.forceFreeMigrationsLock(config);
	const [, applied] = (await knex.migrate.latest(config)) as [number, string[]];
	await distributeNew({ knex, dialect });
	return applied;
}

async function appliedMigrations({ knex }: Pick<Database, 'knex'>): Promise<string[]> {
	if (!(await knex.schema.hasTable(MIGRATION_TABLE))) return [];
	return knex(MIGRATION_TABLE).orderBy('id').pluck('name');
}

const MIGRATION_TABLE = 'schema_migrations';

function migrationConfig(dialect: Dialect, due: Migration[]): Knex.MigratorConfig {
	return {
		tableName: MIGRATION_TABLE,
		// knex would want all migrations that were ever applied, but has only those that are due.
		disableMigrationsListValidation: true,
		migrationSource: {
			getMigrations: async () => due,
			getMigrationName: (migration: Migration) => migration.name,
			getMigration: async (migration: Migration) => ({
				up: (knex: Knex) => migration.up(knex, dialect),
				down: async () => {
					throw new Error('migrations only go forward: restore a backup instead');
				},
			}),
		},
	};
}
