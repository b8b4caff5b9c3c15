import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import type { Command } from 'commander';
import { EXIT, type Frame } from './command.ts';

/** `audit verify|export`. */
export function register(program: Command, frame: Frame): void {
	const audit = program.command('audit').description('the trail of everything that moved a card or changed an account');
	audit
		.command('verify')
		.description('walk the whole trail; exit code 1 when it is not whole')
		.action(
			frame.action(async (context) => {
				const { openRooms } = await import('../assembly/open-rooms.ts');
				const { audit } = await openRooms(context);
				const verdict = await audit.verify();
				if (verdict.isWhole) return context.output.show(verdict, `The trail is whole: ${verdict.entries} entries.`);
				context.exitCode = EXIT.failed;
				context.output.show(verdict, `The trail is broken at entry ${verdict.brokenAt}: ${verdict.reason}.`);
			}),
		);
	audit
		.command('export')
		.description('write the trail, one JSON object a line')
		.argument('<file>', 'a new file, or - for standard output')
		.action(
			frame.action(async (context, _options, file) => {
				const { openRooms } = await import('../assembly/open-rooms.ts');
				const { audit } = await openRooms(context);
				if (file === '-') {
					await audit.exportTo(process.stdout);
					return;
				}
				const stream = createWriteStream(file!, { flags: 'wx', mode: 0o600, flush: true });
				try {
					const entries = await audit.exportTo(stream);
					stream.end();
					await finished(stream);
					context.output.show({ file, entries }, `${entries} entries written to ${file}`);
				} finally {
					stream.destroy();
				}
			}),
		);
}
