import type { Command } from 'commander';
import {
	type CommandContext,
	type Frame,
	readOptionFile,
	UsageError,
	wholeNumber,
} from '../../installation/frame/command.ts';

interface SplitOptions {
	readonly needed: number;
	readonly count: number;
}

interface CombineOptions {
	readonly share: readonly string[];
	readonly to: string;
}

/** Registers `key split|combine`, for master keys that several custodians keep together. */
export function registerShares(key: Command, frame: Frame): void {
	key
		.command('split')
		.description(
			'shares of the master key for custodians, of whom so many give it back together, and fewer learn nothing',
		)
		.requiredOption('--needed <n>', 'how many shares give the key back: 2 or more', wholeNumber)
		.requiredOption('--count <n>', 'how many shares there are: at most 255', wholeNumber)
		.action(
			frame.action(async (context: CommandContext, { needed, count }: SplitOptions) => {
				const { canSplit, MOST_SHARES } = await import('../../base/keys/shares.ts');
				if (!canSplit({ needed, count }))
					throw new UsageError(`--needed must be 2 to --count, and --count at most ${MOST_SHARES}`);
				const { openCommandParts } = await import('../../installation/opening/open-parts.ts');
				const { splitMasterKey } = await import('../../installation/keys/key-shares.ts');
				const { audit, actor } = await openCommandParts(context);
				const split = await splitMasterKey({ settings: context.settings, audit, actor }, { needed, count });
				context.output.note(
					'Each custodian prints and keeps one share, and nobody keeps two. They are not shown again.',
				);
				context.output.show({ ...split, needed, count }, split.shares.join('\n'));
			}),
		);
	key
		.command('combine')
		.description('make the file of a master key of its shares')
		.requiredOption('--share <file...>', 'the shares, each in a file or several in one; - for standard input')
		.requiredOption('--to <file>', 'the file of the master key, which must not exist')
		.action(
			frame.action(async (context: CommandContext, { share, to }: CombineOptions) => {
				const { restoreMasterKey } = await import('../../installation/keys/key-shares.ts');
				const { sharesIn } = await import('../../base/keys/shares.ts');
				const texts: string[] = [];
				for (const file of share) texts.push(...sharesIn(await readOptionFile('--share', file)));
				await restoreMasterKey(texts, to);
				context.output.show({ file: to }, `The master key is in ${to}.`);
			}),
		);
}
