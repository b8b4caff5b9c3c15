import { open, rm } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Command } from 'commander';
import { EXIT, type Frame, UsageError } from './command.ts';

/** `audit verify|export`. */
export function register(program: Command, frame: Frame): void {
	const audit = program.command('audit').description('the trail of everything that moved a card or changed an account');
	audit
		.command('verify')
		.description(
			'walk the whole trail and compare it with what was noted of it; exit code 1 when something does not fit',
		)
		.action(
			frame.action(async (context) => {
				const { openRooms } = await import('../assembly/open-rooms.ts');
				const { compareHeads } = await import('../audit/compare-heads.ts');
				const { audit, database, keyRing } = await openRooms(context);
				const verdict = await audit.verify();
				const problems = await compareHeads({ database, keyRing, file: context.settings.audit.headFile });
				if (!verdict.isWhole || problems.length > 0) context.exitCode = EXIT.failed;
				const chain = verdict.isWhole
					? `The trail is whole: ${verdict.entries} entries.`
					: `The trail is broken at entry ${verdict.brokenAt}: ${verdict.reason}.`;
				const misfits = problems.map((problem) => `- ${problem}`);
				if (misfits.length > 0) misfits.unshift('It does not fit what was noted of it:');
				const shown = { ...verdict, isWhole: verdict.isWhole && problems.length === 0, problems };
				context.output.show(
					shown,
					[
						verdict.isWhole && misfits.length > 0 ? `The entries fit each other: ${verdict.entries}.` : chain,
						...misfits,
					].join('\n'),
				);
			}),
		);
	audit
		.command('export')
		.description('write the trail, one JSON object a line')
		.argument('<file>', 'a new file, or - for standard output')
		.action(
			frame.action(async (context, _options, file) => {
				const { openRooms } = await import('../assembly/open-rooms.ts');
				const { audit, actor } = await openRooms(context);
				const details = { to: file === '-' ? 'standard output' : 'a file' };
				// Before the first entry leaves: the export then holds its own.
				const exportTo = async (stream: Writable) => {
					await audit.record({ actor, action: 'audit.export', subject: 'audit', details });
					return audit.exportTo(stream);
				};
				if (file === '-') {
					await exportTo(process.stdout);
					return;
				}
				const entries = await writeNewFile(file!, exportTo);
				context.output.show({ file, entries }, `${entries} entries written to ${file}`);
			}),
		);
}

/** The file is there whole or not at all: half a trail looks like a trail. @throws UsageError when it cannot be made */
async function writeNewFile<T>(file: string, write: (stream: Writable) => Promise<T>): Promise<T> {
	const handle = await open(file, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
		throw new UsageError(`${file}: ${cause.code === 'EEXIST' ? 'there is one already' : cause.code}`, { cause });
	});
	const stream = handle.createWriteStream({ flush: true });
	// Heard from the start: a disk that is full may say so when nobody waits for the stream.
	const isOver = finished(stream);
	isOver.catch(() => {});
	try {
		const written = await write(stream);
		stream.end();
		await isOver;
		return written;
	} catch (error) {
		stream.destroy();
		await rm(file, { force: true });
		throw error;
	}
}
