import type { Command } from 'commander';
import type { Frame } from '../../installation/frame/command.ts';

/** Registers `migrate`, which brings the database's schema up to date, and does nothing if it already is. */
export function register(program: Command, frame: Frame): void {
	program
		.command('migrate')
		.description('bring the database up to date')
		.action(
			frame.action(async ({ settings, output, opened }) => {
				const { migrate, openDatabase } = await import('../../base/database/open.ts');
				const database = opened('database', await openDatabase({ url: settings.databaseUrl }));
				const applied = await migrate(database);
				const text = applied.length === 0 ? 'The database is up to date.' : `Applied: ${applied.join(', ')}`;
				output.show({ applied }, text);
			}),
		);
}
