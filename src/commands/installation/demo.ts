import { table } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';

/**
 * Registers `demo`: it runs a daemon on free ports, sends one file of every format there and back with the system's
 * `sftp`, lets a route collect and deliver one, and prints a table.
 */
export function register(program: FramedCommand): void {
	program
		.subcommand(
			'demo',
			"upload one file of every format with the system's sftp client, take it back, compare; then let a route do so",
		)
		.run(async (context) => {
			const { runDemo } = await import('../../app/demo/demo.ts');
			const rows = await runDemo((text) => context.output.note(text), context.interruption.cleaningUp());
			if (rows.some((row) => !row.isIdentical)) context.exitCode = 1;
			context.output.show(
				rows,
				table(
					['file', 'cards', 'refused', 'bytes', 'time', 'identical'],
					rows.map((row) => [
						row.file,
						row.cards,
						row.refused,
						row.bytes,
						`${row.ms} ms`,
						row.isIdentical ? 'yes' : 'no',
					]),
				),
			);
		});
}
