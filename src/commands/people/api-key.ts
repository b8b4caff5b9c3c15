import { InvalidArgumentError } from 'commander';
import { table, wholeNumber } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import type { ApiKey, NewApiKey } from '../../people/identity/credentials/api-keys.ts';
import { openAccount } from '../open-account.ts';

const HOUR_MS = 60 * 60_000;
/** After a rotation, the old key may stay valid for at most ten years. */
const MAX_OVERLAP_HOURS = 87_600;

interface CreateOptions {
	readonly userId: string;
	readonly permissions?: string;
	readonly expires?: Date;
	readonly from?: string;
}

export function register(program: FramedCommand): void {
	const apiKey = program.subcommand('api-key', 'API keys of an account');

	apiKey
		.ofAccount('create', 'make a further key, which is shown this once')
		.option('--permissions <list>', 'names with commas, or all')
		.option('--expires <date>', 'until when it is good: a date, or days from now as 90d', expiry)
		.option('--from <ranges>', 'addresses it may be used from, like 10.0.0.0/8, with commas')
		.run<CreateOptions>(async (context, { userId, permissions, expires: expiresAt, from }) => {
			const { parsePermissions } = await import('../../people/identity/permissions.ts');
			const asked = permissions === undefined ? undefined : parsePermissions(permissions);
			const { identity, account, actor } = await openAccount(context, userId);
			const made = shownWithSecret(userId, await identity.apiKeys.create(account, actor, asked, { expiresAt, from }));
			context.output.show(made, textOf(made));
		});
	apiKey
		.ofAccount(
			'rotate',
			'make a successor with the same permissions, ranges and time to live; the old key ends at once',
		)
		.option('--id <id>', 'which key, where there are several', wholeNumber)
		.option('--overlap <hours>', 'let the old key work so long, ten years at most', overlapHours, 0)
		.run<{ userId: string; id?: number; overlap: number }>(async (context, { userId, id, overlap }) => {
			const { identity, account, actor } = await openAccount(context, userId);
			const rotated = await identity.apiKeys.rotate(account, actor, { id, overlapMs: overlap * HOUR_MS });
			const made = shownWithSecret(userId, rotated);
			context.output.show(made, textOf(made));
		});
	apiKey
		.ofAccount('revoke', 'end a key at once, with every session made from it')
		.option('--id <id>', 'which key, where there are several', wholeNumber)
		.run<{ userId: string; id?: number }>(async (context, { userId, id }) => {
			const { identity, account, actor } = await openAccount(context, userId);
			const revoked = await identity.apiKeys.revoke(account, actor, id);
			context.output.show({ userId, ...shown(revoked) }, `API key ${revoked.id} (…${revoked.hint}) no longer works.`);
		});
	apiKey.ofAccount('list', 'the keys, oldest first').run<{ userId: string }>(async (context, { userId }) => {
		const { identity, account } = await openAccount(context, userId);
		const rows = (await identity.apiKeys.list(account)).map(shown);
		const cells = rows.map((row) => [
			...[row.id, `…${row.hint}`, row.state, earliest(row.endsAt, row.expiresAt), row.lastUsedAt, row.from],
			row.permissions.join(','),
		]);
		context.output.show(rows, table(['id', 'key', 'state', 'ends', 'last used', 'from', 'permissions'], cells));
	});
}

function shown(key: ApiKey) {
	const { id, hint, state, permissions, createdAt, endsAt, revokedAt, expiresAt, from, lastUsedAt } = key;
	return {
		id,
		hint,
		state,
		permissions: [...permissions],
		createdAt: createdAt.toISOString(),
		endsAt: endsAt?.toISOString() ?? null,
		revokedAt: revokedAt?.toISOString() ?? null,
		expiresAt: expiresAt?.toISOString() ?? null,
		lastUsedAt: lastUsedAt?.toISOString() ?? null,
		from,
	};
}

function shownWithSecret(userId: string, { apiKey, secret }: NewApiKey) {
	return { userId, apiKey: secret.reveal(), apiKeyId: apiKey.id, permissions: [...apiKey.permissions] };
}

function textOf(made: ReturnType<typeof shownWithSecret>): string {
	const lines = [
		`user ID      ${made.userId}`,
		`API key      ${made.apiKey}`,
		`permissions  ${made.permissions.join(',')}`,
	];
	return [...lines, 'The key is not shown again.'].join('\n');
}

/** Returns the earlier of two times, both in ISO 8601 and UTC; the other one if one is null. */
function earliest(one: string | null, other: string | null): string | null {
	return one !== null && other !== null ? (one < other ? one : other) : (one ?? other);
}

function expiry(text: string): Date {
	const days = /^(\d{1,5})d$/.exec(text)?.[1];
	if (days !== undefined) return new Date(Date.now() + Number(days) * 24 * HOUR_MS);
	const date = /^\d{4}-\d\d-\d\d/.test(text) ? new Date(text) : undefined;
	if (date === undefined || Number.isNaN(date.getTime())) {
		throw new InvalidArgumentError('Expected a date like 2027-01-31, or days like 90d.');
	}
	return date;
}

function overlapHours(text: string): number {
	const hours = wholeNumber(text);
	if (hours > MAX_OVERLAP_HOURS) throw new InvalidArgumentError(`Expected at most ${MAX_OVERLAP_HOURS} hours.`);
	return hours;
}
