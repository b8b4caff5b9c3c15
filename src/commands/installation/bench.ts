import { once } from 'node:events';
import { Argument } from 'commander';
import { UsageError } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';

/** Lists the measurements in the order in which `bench/main.ts` runs them. */
export const BENCH_GROUPS = [
	'files',
	'postgres',
	'baselines',
	'formats',
	'memory',
	'report',
	'http',
	'budget',
	'processes',
	'lanes',
	'relay',
	'pgp',
	'vault',
	'routes',
	'events',
	'stalls',
	'recovery',
	'upload',
	'sftp',
	'sizes',
	'sessions',
	's3',
	'queue',
	'clients',
	'misses',
	'false-findings',
	'call-log',
	'pages',
	'portal',
	'questions',
	'start',
] as const;
export type BenchGroup = (typeof BENCH_GROUPS)[number];

/** Registers `bench`, which needs the development packages and is not part of an installation. */
export function register(program: FramedCommand): void {
	program
		.subcommand('bench', `measure this machine: ${BENCH_GROUPS.join(', ')}`)
		.addArgument(new Argument('[group...]', 'only these groups').choices(BENCH_GROUPS))
		.run(async (context, _options, groups) => {
			const { spawn } = await import('node:child_process');
			const { existsSync } = await import('node:fs');
			const { fileURLToPath } = await import('node:url');
			const script = fileURLToPath(new URL('../../../bench/main.ts', import.meta.url));
			if (!existsSync(script)) throw new UsageError('the benchmark comes with the repository, not with a release');
			const names = (groups ?? []) as readonly string[];
			const signal = context.interruption.cleaningUp();
			const child = spawn(process.execPath, [script, ...names], { signal, stdio: ['ignore', 'inherit', 'inherit'] });
			const [code] = await once(child, 'exit');
			context.exitCode = code ?? 1;
		});
}
