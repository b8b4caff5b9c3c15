import { table } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';

/** Registers `migrate`, which brings the database's schema up to date, and does nothing if it already is. */
export function register(program: FramedCommand): void {
	program
		.subcommand('migrate', 'bring the database up to date')
		.option('--plan', 'only show what would be run, and what that means for daemons of an earlier version')
		.option('--expand', 'run only that beside which daemons of an earlier version work on')
		.run<{ plan?: boolean; expand?: boolean }>(async ({ settings, output, opened }, { plan, expand }) => {
			const { openDatabase } = await import('../../base/database/open.ts');
			const { migrate } = await import('../../base/database/schema.ts');
			const { planUpgrade, requireNoOlderDaemon } = await import('../../installation/daemons/upgrade.ts');
			const database = opened('database', await openDatabase({ url: settings.databaseUrl }));
			if (plan) {
				const planned = await planUpgrade(database, Date.now());
				output.show(planned, planText(planned));
				return;
			}
			const applied = await migrate(database, {
				expandOnly: expand ?? false,
				beforeChange: (last) => requireNoOlderDaemon(database, last, Date.now()),
			});
			const left = (await planUpgrade(database, Date.now())).steps.map(({ name }) => name);
			const done = applied.length === 0 ? '' : `Applied: ${applied.join(', ')}`;
			const text = left.length === 0 ? done || 'The database is up to date.' : `${done}\nLeft: ${left.join(', ')}`;
			output.show({ applied, left }, text.trim());
		});
}

type Plan = Awaited<ReturnType<typeof import('../../installation/daemons/upgrade.ts').planUpgrade>>;

const MEANING = {
	expand: 'only adds: daemons of an earlier version work on, and may be started again',
	contract: 'removes what the version before no longer uses: no daemon of an earlier version may run',
	whole: 'changes what earlier versions use: stop all daemons first',
} as const;

function planText({ steps, later, daemons }: Plan): string {
	const parts = [
		steps.length === 0
			? 'Nothing is to be run.'
			: table(
					['migration', 'kind', ''],
					steps.map(({ name, kind }) => [name, kind, MEANING[kind]]),
				),
	];
	if (later.length > 0) parts.push(`Of a later version: ${later.join(', ')}`);
	if (daemons.length > 0) {
		const rows = daemons.map(({ id, version, isOlder }) => [id, version, isOlder ? 'of an earlier version' : '']);
		parts.push(table(['running daemon', 'version', ''], rows));
	}
	return parts.join('\n\n');
}
