import { resolve } from 'node:path';
import type { BackupVerdict, CopyWatch } from '../../installation/backup/backup.ts';
import { type CommandContext, EXIT, UsageError } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import type { Progress } from '../../installation/frame/progress.ts';

export function register(program: FramedCommand): void {
	const backup = program.subcommand('backup', 'copies of all that makes an installation, but for its master key');
	backup
		.subcommand('create', 'make a backup in a folder, or bring the one there up to date; beside a running daemon')
		.argument('<folder>', 'where; best on another machine or volume')
		.option('--files', 'files alone, on PostgreSQL: pg_dump has the database, see docs/backup.md')
		.run<{ files?: boolean }>(async (context, { files }, folder) => {
			const { createBackup } = await import('../../installation/backup/backup.ts');
			const { upkeepStore } = await import('../../installation/upkeep/upkeep-store.ts');
			const { settings, output } = context;
			const { database, audit, actor } = await context.parts();
			if (database.file === null && !files) throw new UsageError(NEEDS_PG_DUMP);
			const path = resolve(folder!);
			// The backup is recorded before the copy is made, so that the copy contains the record.
			await audit.record({ actor, action: 'backup.create', subject: 'installation', details: { to: path } });
			const progress = output.progress('copying', 'things');
			const databaseFile = files ? null : database.file;
			const made = await createBackup(settings, path, databaseFile, untilInterrupted(context, progress)).finally(
				progress.end,
			);
			await upkeepStore(database.knex).note('backup', Date.now());
			const value = {
				folder: path,
				createdAt: made.createdAt,
				hasDatabase: made.hasDatabase,
				dropStore: made.dropStore ?? null,
				files: Object.keys(made.files).length,
			};
			const withoutDrops = made.dropStore === undefined ? '' : ` ${inBucket(made.dropStore)}`;
			output.show(value, `${value.files} files are in ${path}. ${WITHOUT_KEY}${withoutDrops}`);
		});
	backup
		.subcommand('verify', 'read all of a backup and compare; exit code 1 when something does not fit')
		.argument('<folder>', 'the backup')
		.run(async (context, _options, folder) => {
			const { verifyBackup } = await import('../../installation/backup/backup.ts');
			const progress = context.output.progress('reading', 'bytes');
			const verdict = await verifyBackup(resolve(folder!), progress.update).finally(progress.end);
			if (!verdict.isWhole) context.exitCode = EXIT.failed;
			else {
				const { noteVerified } = await import('../../installation/upkeep/backup-age.ts');
				const isNoted = await noteVerified(context.settings, verdict.environment, Date.now());
				if (!isNoted) context.output.note('No installation is here that could note this verification.');
			}
			context.output.show(verdict, textOf(verdict));
		});
	backup
		.subcommand('restore', 'put a backup where the settings say an installation is to be, and none is')
		.argument('<folder>', 'the backup')
		.run(async (context, _options, folder) => {
			const { verdict, databaseFile } = await restore(context, resolve(folder!));
			const isNoted = verdict.hasDatabase && (await noteRestore(context));
			const next = isNoted ? '' : NEEDS_MASTER_KEY;
			context.output.show(
				{ ...verdict, database: databaseFile },
				`${textOf(verdict)}\nIt is restored.${next} Then run \`tokendrop audit verify\` and \`tokendrop doctor\`.`,
			);
		});
}

function untilInterrupted({ interruption }: CommandContext, progress: Progress): CopyWatch {
	const interrupted = interruption.cleaningUp();
	return {
		onProgress: (done, total) => {
			interrupted.throwIfAborted();
			progress.update(done, total);
		},
		onPartial: (path) => interruption.partial(path),
	};
}

async function restore(context: CommandContext, folder: string) {
	const { settings, output, opened } = context;
	const { join } = await import('node:path');
	const { restoreBackup } = await import('../../installation/backup/backup.ts');
	const { dialectOf, sqlitePath } = await import('../../base/database/dialect.ts');
	const { takeExclusiveLock } = await import('../../base/database/locks.ts');
	const { makeFolder } = await import('../../base/durable-files.ts');
	const isSqlite = dialectOf(settings.databaseUrl) === 'sqlite';
	const databaseFile = isSqlite ? sqlitePath(settings.databaseUrl) : null;
	await makeFolder(settings.dataDir);
	opened('lock', takeExclusiveLock(join(settings.dataDir, 'daemon.lock')));
	const progress = output.progress('restoring', 'bytes');
	const verdict = await restoreBackup(settings, folder, databaseFile, untilInterrupted(context, progress)).finally(
		progress.end,
	);
	return { verdict, databaseFile };
}

/** Records the restore in the restored trail; returns false without the master key, which is kept elsewhere or in a service that is away. */
async function noteRestore(context: CommandContext): Promise<boolean> {
	const { existsSync } = await import('node:fs');
	const { keys, masterKeyFile } = context.settings;
	if (keys.provider === 'file' && !existsSync(masterKeyFile)) return false;
	const { RootKeyAwayError } = await import('../../base/keys/root-key.ts');
	try {
		const { audit, actor } = await context.parts();
		await audit.record({ actor, action: 'backup.restore', subject: 'installation' });
		return true;
	} catch (error) {
		if (error instanceof RootKeyAwayError) return false;
		throw error;
	}
}

const NEEDS_MASTER_KEY =
	' Put the master key in its place, or bring back the key service that has it, before anything is started.';
const WITHOUT_KEY = 'The master key is not among them: keep it elsewhere, for with it everything here can be opened.';
const NEEDS_PG_DUMP =
	'--files is needed on PostgreSQL: pg_dump makes the copy of the database, docs/backup.md says how';

/** Says what a backup does not have if the sealed files are in a bucket. */
function inBucket(dropStore: string): string {
	return `Sealed files of more than 32 KiB are not among them: they are in ${dropStore}, which its own means have to copy.`;
}

function textOf(verdict: BackupVerdict): string {
	const { isWhole, problems, files, bytes, createdAt, environment, dropStore, auditEntries } = verdict;
	const what = `${files} files, ${bytes} bytes, of ${environment}, made ${createdAt}`;
	if (!isWhole) return [`The backup is not whole (${what}):`, ...problems.map((each) => `- ${each}`)].join('\n');
	const trail = auditEntries === null ? '' : `, with ${auditEntries} entries of the trail`;
	return `The backup is whole: ${what}${trail}.${dropStore === null ? '' : ` ${inBucket(dropStore)}`}`;
}
