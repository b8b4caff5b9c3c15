import { Option } from 'commander';
import {
	type CommandContext,
	readOptionFile,
	table,
	UsageError,
	wholeNumber,
} from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import type { OnSwept, RotatedPurpose } from '../../installation/keys/key-rotation.ts';

/** Lists the purposes that `key rotate` renews. */
const ROTATABLE: readonly RotatedPurpose[] = [
	...(['data', 'cvv', 'fingerprint', 'token', 'drop', 'secret', 'seal', 'credential', 'audit'] as const),
	...(['environment', 'root'] as const),
];

const OF_ACCOUNTS: ReadonlySet<RotatedPurpose> = new Set(['data', 'cvv', 'fingerprint']);

interface RotateOptions {
	readonly purpose?: string;
	readonly userId?: string;
	readonly newMasterKeyFile?: string;
}

/** Registers `key status|rotate|move|sweep|retire|adopt|split|combine`, for the key hierarchy. */
export function register(program: FramedCommand): void {
	const key = program.subcommand('key', 'the key hierarchy');
	registerShares(key);
	registerMove(key);
	key.subcommand('status', 'every key, what it is for, and how many things it seals').run(async (context) => {
		const { listKeyStates } = await import('../../installation/keys/key-status.ts');
		const { keys, formerMasterKey } = await listKeyStates(await openWithBlobs(context), context.settings.keys);
		context.output.show(
			keys,
			table(
				[
					'id',
					'purpose',
					'user id',
					'generation',
					'state',
					'holds',
					'of',
					'created',
					'needed',
					'ends',
					'term',
					'seals',
				],
				keys.map((row) => Object.values(row).map((value) => String(value ?? ''))),
			),
		);
		const ending = keys.filter(({ term }) => term !== 'running').length;
		if (ending > 0)
			context.output.note(`${ending} keys are at the end of their cryptoperiod: the daemon replaces them.`);
		context.output.note(FORMER_MASTER_KEY[formerMasterKey]);
	});

	key
		.subcommand('rotate', 'commit a new generation; `key sweep` then moves what older ones sealed')
		.option('--purpose <purpose>', `one of ${ROTATABLE.join(', ')}; data and cvv when absent`)
		.option('--user-id <id>', 'only this account; every account when absent')
		.option('--new-master-key-file <file>', 'with --purpose root: the file of the new master key, made if absent')
		.run(async (context, options: RotateOptions) => {
			const purposes = readPurposes(options);
			const { rotateKeys } = await import('../../installation/keys/key-rotation.ts');
			const rotated = await rotateKeys(await context.parts(), {
				purposes,
				userId: options.userId,
				newMasterKeyFile: options.newMasterKeyFile,
			});
			if (purposes.includes('root')) {
				context.output.note(
					'Give every daemon the new master key: put it into the file they read, or change the setting and restart. ' +
						'Until `key sweep` retires it, the former one goes on working; `key status` shows where that stands.',
				);
			}
			context.output.show(
				rotated,
				table(
					['purpose', 'user id', 'generation'],
					rotated.map((row) => [row.purpose, row.userId ?? '', String(row.generation ?? '')]),
				),
			);
		});

	key
		.subcommand('sweep', 'move what older keys hold to the current ones; may be stopped at any time and run again')
		.run(async (context) => {
			const { sweepAll } = await import('../../installation/keys/key-rotation.ts');
			const parts = await openWithBlobs(context);
			const progress = context.output.progress('sweeping', 'things');
			const total = await countToSweep(context, parts);
			const onSwept: OnSwept = ({ userId, ...moved }) => {
				progress.end();
				const counts = Object.entries(moved).map(([what, count]) => `${count} ${what === 'cvvs' ? 'CVVs' : what}`);
				context.output.note(`${userId === undefined ? '' : `${userId}: `}${counts.join(', ')}`);
			};
			const onProgress = (done: number) => progress.update(done, total);
			const result = await sweepAll(parts, onSwept, onProgress).finally(progress.end);
			const { pages, cvvs, fingerprints, files, secrets, rows, damaged, formerMasterKey } = result;
			if (damaged > 0) {
				context.output.note(
					`${damaged} pages, files or secrets are damaged: no key opens them. They stay as they are. The audit trail names the pages (integrity.failed).`,
				);
			}
			if (formerMasterKey !== 'none') context.output.note(RETIREMENT[formerMasterKey]);
			const moved = `${pages} pages, ${cvvs} CVVs, ${fingerprints} fingerprints, ${files} files, ${secrets} secrets and ${rows} seals of rows`;
			context.output.show(result, `${moved} moved to current keys`);
		});
	key
		.subcommand('retire', 'destroy superseded keys that nothing needs any more, and say what needs the others')
		.option('--id <id>', 'only the key of this id; every superseded one when absent')
		.run(async (context, options: { id?: string }) => {
			const { retireKeys } = await import('../../installation/keys/retire-keys.ts');
			const id = options.id === undefined ? undefined : Number(options.id);
			if (id !== undefined && !Number.isSafeInteger(id)) throw new UsageError('--id must be a whole number');
			const outcomes = await retireKeys(await openWithBlobs(context), { id, now: Date.now() });
			if (id !== undefined && outcomes.length === 0) throw new UsageError(`--id: there is no superseded key ${id}`);
			context.output.show(
				outcomes,
				table(
					['id', 'purpose', 'generation', 'outcome', 'holds', 'reason'],
					outcomes.map((row) => Object.values(row).map((value) => String(value ?? ''))),
				),
			);
			if (id !== undefined && outcomes[0].outcome === 'kept')
				context.output.note(`key ${id} is kept: ${outcomes[0].reason}`);
		});
	key
		.subcommand(
			'adopt',
			'seal rows that grant access as they are, where their seals were lost: look through them first',
		)
		.run(async (context) => {
			const { adoptRows } = await import('../../installation/keys/adopt-rows.ts');
			const { actor, ...parts } = await context.parts({ needsSealKey: false });
			const rows = await adoptRows(parts, actor);
			const said = rows === undefined ? 'rows have their seals: nothing to do' : `${rows} rows sealed as they are`;
			context.output.show({ rows: rows ?? null }, said);
		});
}

const FORMER_MASTER_KEY = {
	none: 'Only the present master key opens these keys.',
	idle: 'A former master key still opens these keys, and nobody uses it: `key sweep` retires it.',
	needed: 'A former master key still opens these keys, and was used within the last minute: keep it.',
} as const;

const RETIREMENT = {
	retired: 'The former master key is retired: it opens nothing in this database any more.',
	needed:
		'The former master key is not retired: it was used within the last minute, or this command was given it. ' +
		'Give everybody the new one, and sweep again a minute later.',
} as const;

/**
 * Counts what older keys seal, which is the total for the progress bar. It does so only if the bar is visible, because
 * counting reads as much as `key status` does.
 */
async function countToSweep({ output }: CommandContext, parts: Awaited<ReturnType<typeof openWithBlobs>>) {
	if (!output.isWatched) return undefined;
	const { listKeyStates } = await import('../../installation/keys/key-status.ts');
	const { keys } = await listKeyStates(parts);
	const older = keys.filter(({ state, purpose }) => state === 'superseded' && SWEPT.has(purpose));
	return older.reduce((sum, { sealed }) => sum + Number(sealed ?? 0), 0);
}

const SWEPT: ReadonlySet<string> = new Set(['data', 'cvv', 'fingerprint', 'drop', 'secret']);

async function openWithBlobs(context: CommandContext) {
	const { dropBlobs } = await import('../../work/drops/drop-blobs.ts');
	const parts = await context.parts();
	return { ...parts, blobs: dropBlobs(context.settings, parts.database) };
}

function readPurposes({ purpose, userId, newMasterKeyFile }: RotateOptions): readonly RotatedPurpose[] {
	const purposes = purpose === undefined ? (['data', 'cvv'] as const) : ([purpose] as readonly RotatedPurpose[]);
	if (purposes.some((each) => !ROTATABLE.includes(each))) {
		throw new UsageError(`--purpose must be one of ${ROTATABLE.join(', ')}`);
	}
	if (purposes.includes('root') !== (newMasterKeyFile !== undefined)) {
		throw new UsageError('--purpose root and --new-master-key-file go together');
	}
	if (userId !== undefined && purposes.some((each) => !OF_ACCOUNTS.has(each))) {
		throw new UsageError('--user-id goes with the purposes data, cvv and fingerprint alone');
	}
	return purposes;
}

/** A variable has no place in the settings beside another provider, so nothing can be moved into one. */
const TARGETS = ['file', 'pkcs11', 'aws-kms', 'transit'] as const;

/** Registers `key move`, for another provider of the master key. */
function registerMove(key: FramedCommand): void {
	key
		.subcommand('move', 'put everything under a master key of another provider, whose settings are filled in already')
		.addOption(new Option('--to <provider>', 'where the new master key is').choices(TARGETS).makeOptionMandatory())
		.run(async (context: CommandContext, { to }: { to: (typeof TARGETS)[number] }) => {
			const { settings } = context;
			if (to === settings.keys.provider) throw new UsageError(`--to: the master key is with ${to} already`);
			const { requireKeyService } = await import('../../base/settings/settings.ts');
			requireKeyService(settings, to);
			const { moveMasterKey } = await import('../../installation/keys/move-master-key.ts');
			const { keyRing, audit, actor } = await context.parts();
			const moved = await moveMasterKey({ settings, keyRing, audit, actor }, to);
			context.output.note(`Set keys.provider to ${to} now, for every daemon and for commands.`);
			context.output.note(moved.isFormerNeeded ? FORMER_NEEDED : FORMER_OVER);
			context.output.show(moved, `The keys are under ${moved.masterKey}.`);
		});
}

const FORMER_NEEDED =
	'Restart the daemons one after the other. Until `key sweep` retires it, the former master key goes on working.';
const FORMER_OVER =
	'No daemon runs, so the former master key opens nothing any more but backups that were made before.';

/** Registers `key split|combine`, for master keys that several custodians keep together. */
function registerShares(key: FramedCommand): void {
	key
		.subcommand(
			'split',
			'shares of the master key for custodians, of whom so many give it back together, and fewer learn nothing',
		)
		.requiredOption('--needed <n>', 'how many shares give the key back: 2 or more', wholeNumber)
		.requiredOption('--count <n>', 'how many shares there are: at most 255', wholeNumber)
		.run<{ needed: number; count: number }>(async (context, { needed, count }) => {
			const { canSplit, MOST_SHARES } = await import('../../base/keys/shares.ts');
			if (!canSplit({ needed, count }))
				throw new UsageError(`--needed must be 2 to --count, and --count at most ${MOST_SHARES}`);
			const { splitMasterKey } = await import('../../installation/keys/key-shares.ts');
			const { audit, actor } = await context.parts();
			const split = await splitMasterKey({ settings: context.settings, audit, actor }, { needed, count });
			context.output.note('Each custodian prints and keeps one share, and nobody keeps two. They are not shown again.');
			context.output.show({ ...split, needed, count }, split.shares.join('\n'));
		});
	key
		.subcommand('combine', 'make the file of a master key of its shares')
		.requiredOption('--share <file...>', 'the shares, each in a file or several in one; - for standard input')
		.requiredOption('--to <file>', 'the file of the master key, which must not exist')
		.run<{ share: readonly string[]; to: string }>(async (context, { share, to }) => {
			const { restoreMasterKey } = await import('../../installation/keys/key-shares.ts');
			const { sharesIn } = await import('../../base/keys/shares.ts');
			const texts: string[] = [];
			for (const file of share) texts.push(...sharesIn(await readOptionFile('--share', file)));
			await restoreMasterKey(texts, to);
			context.output.show({ file: to }, `The master key is in ${to}.`);
		});
}
