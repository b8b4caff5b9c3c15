import type { Command } from 'commander';
import { type Frame, table, UsageError } from './command.ts';

/** Purposes that `key rotate` renews; token keys stay, since a token is what they make. */
const ROTATABLE = ['data', 'cvv', 'drop', 'environment', 'root'] as const;
type Rotatable = (typeof ROTATABLE)[number];

interface RotateOptions {
	readonly purpose?: string;
	readonly userId?: string;
	readonly newMasterKeyFile?: string;
}

/** `key status|rotate|sweep`: the key hierarchy. */
export function register(program: Command, frame: Frame): void {
	const key = program.command('key').description('the key hierarchy');
	key
		.command('status')
		.description('every key, what it is for, and how many pages it seals')
		.action(
			frame.action(async (context) => {
				const { openRooms } = await import('../assembly/open-rooms.ts');
				const { pageStore } = await import('../vault/page-store.ts');
				const { database, keyRing, identity } = await openRooms(context);
				const keys = await keyRing.list();
				const pages = new Map(
					(await pageStore(database.knex, database.dialect).countByKey()).map((row) => [row.key_id, row.pages]),
				);
				const users = await identity.accounts.userIdsOf([...new Set(keys.map((row) => row.account_id as never))]);
				const rows = keys.map((row) => ({
					id: row.id,
					purpose: row.purpose,
					userId: users.get(row.account_id as never) ?? null,
					generation: row.generation,
					state: row.state,
					pages: row.purpose === 'data' ? (pages.get(row.id) ?? 0) : null,
					createdAt: new Date(row.created_at).toISOString(),
				}));
				context.output.show(
					rows,
					table(
						['id', 'purpose', 'user id', 'generation', 'state', 'pages', 'created'],
						rows.map((row) => Object.values(row).map((value) => String(value ?? ''))),
					),
				);
			}),
		);

	key
		.command('rotate')
		.description('commit a new generation; `key sweep` then moves what older ones sealed')
		.option('--purpose <purpose>', `one of ${ROTATABLE.join(', ')}; data and cvv when absent`)
		.option('--user-id <id>', 'only this account; every account when absent')
		.option('--new-master-key-file <file>', 'with --purpose root: the file of the new master key, made if absent')
		.action(
			frame.action(async (context, options: RotateOptions) => {
				const purposes = readPurposes(options);
				const { openRooms } = await import('../assembly/open-rooms.ts');
				const { rotateKeys } = await import('../assembly/key-rotation.ts');
				const rotated = await rotateKeys(await openRooms(context), {
					purposes,
					userId: options.userId,
					newMasterKeyFile: options.newMasterKeyFile,
				});
				if (purposes.includes('root')) {
					context.output.note(
						'The old master key opens nothing any more: point masterKeyFile at the new one, restart.',
					);
				}
				context.output.show(
					rotated,
					table(
						['purpose', 'user id', 'generation'],
						rotated.map((row) => [row.purpose, row.userId ?? '', String(row.generation ?? '')]),
					),
				);
			}),
		);

	key
		.command('sweep')
		.description('re-seal pages and CVVs under the current keys; may be stopped at any time and run again')
		.action(
			frame.action(async (context) => {
				const { openRooms } = await import('../assembly/open-rooms.ts');
				const { sweepAll } = await import('../assembly/key-rotation.ts');
				const result = await sweepAll(await openRooms(context), ({ userId, pages, cvvs }) =>
					context.output.note(`${userId}: ${pages} pages, ${cvvs} CVVs`),
				);
				context.output.show(result, `${result.pages} pages and ${result.cvvs} CVVs moved to current keys`);
			}),
		);
}

function readPurposes({ purpose, userId, newMasterKeyFile }: RotateOptions): readonly Rotatable[] {
	const purposes = purpose === undefined ? (['data', 'cvv'] as const) : ([purpose] as readonly Rotatable[]);
	if (purposes.some((each) => !ROTATABLE.includes(each))) {
		throw new UsageError(`--purpose must be one of ${ROTATABLE.join(', ')}`);
	}
	if (purposes.includes('root') !== (newMasterKeyFile !== undefined)) {
		throw new UsageError('--purpose root and --new-master-key-file go together');
	}
	if (userId !== undefined && purposes.some((each) => each !== 'data' && each !== 'cvv')) {
		throw new UsageError('--user-id goes with the purposes data and cvv alone');
	}
	return purposes;
}
