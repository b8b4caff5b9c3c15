import packageJson from '../../../package.json' with { type: 'json' };
import { EXIT, table } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';

/** Registers `doctor`, which prints one page and exits with code 1 if something is wrong. */
export function register(program: FramedCommand): void {
	program
		.subcommand(
			'doctor',
			'whether the installation is well, and what to do where it is not; exit code 1 when something is wrong',
		)
		.run(async (context) => {
			const { examine } = await import('../../installation/doctor/doctor.ts');
			const { dialectOf, sqlitePath } = await import('../../base/database/dialect.ts');
			const { databaseUrl } = context.settings;
			const databaseFile = dialectOf(databaseUrl) === 'sqlite' ? sqlitePath(databaseUrl) : null;
			const findings = await examine(context, { version: packageJson.version, databaseFile });
			const isWell = findings.every(({ state }) => state !== 'problem');
			if (!isWell) context.exitCode = EXIT.failed;
			const rows = findings.map(({ part, state, says }) => [part, state === 'problem' ? 'WRONG' : state, says]);
			const todos = findings.flatMap(({ part, todo }) => (todo === undefined ? [] : [`${part}: ${todo}`]));
			const advice =
				todos.length === 0 ? ['Nothing to do.'] : ['What to do:', ...new Set(todos.map((todo) => `- ${todo}`))];
			const text = [table(['part', '', ''], rows), '', ...advice].join('\n');
			context.output.show({ isWell, findings: findings.map(({ told: _, ...shown }) => shown) }, text);
		});
}
