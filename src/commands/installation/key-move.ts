import { type Command, Option } from 'commander';
import { type CommandContext, type Frame, UsageError } from '../../installation/frame/command.ts';

/** A variable has no place in the settings beside another provider, so nothing can be moved into one. */
const TARGETS = ['file', 'pkcs11', 'aws-kms', 'transit'] as const;

/** Registers `key move`, for another provider of the master key. */
export function registerMove(key: Command, frame: Frame): void {
	key
		.command('move')
		.description('put everything under a master key of another provider, whose settings are filled in already')
		.addOption(new Option('--to <provider>', 'where the new master key is').choices(TARGETS).makeOptionMandatory())
		.action(
			frame.action(async (context: CommandContext, { to }: { to: (typeof TARGETS)[number] }) => {
				const { settings } = context;
				if (to === settings.keys.provider) throw new UsageError(`--to: the master key is with ${to} already`);
				const { requireKeyService } = await import('../../base/settings/settings.ts');
				requireKeyService(settings, to);
				const { openCommandParts } = await import('../../installation/opening/open-parts.ts');
				const { moveMasterKey } = await import('../../installation/keys/move-master-key.ts');
				const { keyRing, audit, actor } = await openCommandParts(context);
				const moved = await moveMasterKey({ settings, keyRing, audit, actor }, to);
				context.output.note(`Set keys.provider to ${to} now, for every daemon and for commands.`);
				context.output.note(moved.isFormerNeeded ? FORMER_NEEDED : FORMER_OVER);
				context.output.show(moved, `The keys are under ${moved.masterKey}.`);
			}),
		);
}

const FORMER_NEEDED =
	'Restart the daemons one after the other. Until `key sweep` retires it, the former master key goes on working.';
const FORMER_OVER =
	'No daemon runs, so the former master key opens nothing any more but backups that were made before.';
