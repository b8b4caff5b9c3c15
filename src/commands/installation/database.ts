import { join } from 'node:path';
import { readOptionFile, UsageError } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';

export function register(program: FramedCommand): void {
	const database = program.subcommand('database', 'the database in which everything is');
	database
		.subcommand(
			'move',
			'move everything from SQLite to PostgreSQL, or back, and compare it row by row; only while no daemon runs',
		)
		.requiredOption('--to <url>', 'the new database: postgres://… without a password, which is empty, or sqlite:FILE')
		.option('--password-file <file>', 'a file with the password of the new database; - is standard input')
		.run<{ to: string; passwordFile?: string }>(async (context, { to, passwordFile }) => {
			const { takeExclusiveLock } = await import('../../base/database/locks.ts');
			const { moveDatabase } = await import('../../installation/move/move-database.ts');
			const { requireNoDaemon } = await import('../../installation/daemons/upgrade.ts');
			const { otherDatabaseUrl } = await import('../../base/settings/settings.ts');
			const { settings, output, opened, interruption } = context;
			if (passwordFile !== undefined && to.startsWith('sqlite:')) {
				throw new UsageError('--password-file: SQLite asks for no password');
			}
			const read = passwordFile === undefined ? undefined : await readOptionFile('--password-file', passwordFile);
			const toUrl = otherDatabaseUrl(settings, { url: to, password: read?.replace(/\r?\n$/, '') });
			const { database, keyRing, audit, actor } = await context.parts();
			opened('lock', takeExclusiveLock(join(settings.dataDir, 'daemon.lock')));
			// The lock says this of SQLite, also when a daemon was killed a moment ago.
			if (database.dialect === 'postgres') await requireNoDaemon(database, Date.now());
			// The move is recorded before it is made, so that the new database has the record.
			await audit.record({ actor, action: 'database.move', subject: 'installation', details: { to } });
			const progress = output.progress('moving', 'things');
			const moved = await moveDatabase({
				...{ fromUrl: settings.databaseUrl, toUrl, shownTo: to, keyRing, onProgress: progress.update },
				onPartial: (path) => interruption.partial(path),
			}).finally(progress.end);
			const { rows, tables, tokens, damagedPages } = moved;
			const damaged = damagedPages === 0 ? '' : ` ${damagedPages} pages were damaged before and are moved as they are.`;
			output.show(
				{ to, ...moved },
				`${rows} rows of ${tables} tables are in the new database and were compared, with ${tokens} tokens that open.` +
					`${damaged}\nThe old one says where they are, and is not opened any more. Now name the new one in databaseUrl, ` +
					'run `tokendrop doctor` and `tokendrop audit verify`, and start the daemon. The data directory stays as it is.',
			);
		});
	database
		.subcommand(
			'distribute',
			'spread the tables that grow over the servers of a Citus cluster, whose coordinator the database is; only while no daemon runs',
		)
		.run(async (context) => {
			const { distributeDatabase } = await import('../../installation/move/distribute-database.ts');
			const { database, audit, actor } = await context.parts();
			const done = await distributeDatabase({ database, audit, actor }, Date.now());
			const { tables, servers } = done;
			const text =
				tables.length === 0
					? 'All tables that grow are spread already.'
					: `Spread over ${servers.join(', ')}: ${tables.join(', ')}.\nRun \`tokendrop doctor\` and start the daemons.`;
			context.output.show(done, text);
		});
}
