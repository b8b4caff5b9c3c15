import { readOptionJson, UsageError } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import type { InstallationParts } from '../../installation/opening/open-parts.ts';

const ALTERED =
	'Nobody has set this with `format-options put`: it was changed in the database, and files of the folder fail. Put what it ' +
	'should be, or remove it; `integrity.failed` is in the trail.';

interface Scope {
	readonly userId: string;
	readonly filter: string;
	readonly file?: string;
}

export function register(program: FramedCommand): void {
	const group = program.subcommand(
		'format-options',
		"what an account's files of a filter use by default; filter '*' stands for all of them",
	);
	const command = (name: string, description: string) =>
		group.ofAccount(name, description).requiredOption('--filter <filter>', "GBT, CSV, …, or '*' for all");

	command('put', 'set options in place of those before; they hold for every file not begun yet')
		.requiredOption('--file <file>', 'options as JSON')
		.run<Scope>(async (context, { userId, filter, file }) => {
			const options = await readOptionJson('--file', file!);
			const { putFormatOptions } = await import('../../work/jobs/format-options.ts');
			const parts = await context.parts();
			const validate = await validator(parts, filter);
			const { identity, audit, actor } = parts;
			const { id: accountId } = await identity.accounts.get(userId);
			const entry = { actor, action: 'format-options.put', subject: `account ${userId}`, details: { filter } };
			await putFormatOptions(parts, { accountId, filter }, options, validate, (transaction) =>
				audit.record(entry, transaction),
			);
			context.output.show({ userId, filter, options }, `Options of ${userId} for ${filter} are set.`);
		});
	command('show', 'the options that are set').run<Scope>(async (context, { userId, filter }) => {
		const { findFormatOptions } = await import('../../work/jobs/format-options.ts');
		const parts = await context.parts();
		await validator(parts, filter);
		const { id: accountId } = await parts.identity.accounts.get(userId);
		const found = await findFormatOptions(parts, accountId, filter);
		const value = { userId, filter, options: found?.options ?? {}, updatedAt: found?.updatedAt ?? null };
		const text = found ? JSON.stringify(found.options, null, 2) : 'None are set: defaults hold.';
		if (found && !found.isIntact) context.output.show({ ...value, altered: true }, `${text}\n${ALTERED}`);
		else context.output.show(value, text);
	});
	command('remove', 'go back to the defaults').run<Scope>(async (context, { userId, filter }) => {
		const { removeFormatOptions } = await import('../../work/jobs/format-options.ts');
		const parts = await context.parts();
		await validator(parts, filter);
		const { identity, audit, actor } = parts;
		const { id: accountId } = await identity.accounts.get(userId);
		const entry = { actor, action: 'format-options.remove', subject: `account ${userId}`, details: { filter } };
		const removed = await removeFormatOptions(parts, accountId, filter, (transaction) =>
			audit.record(entry, transaction),
		);
		context.output.show({ userId, filter, removed }, removed ? 'Removed.' : 'None were set.');
	});
}

/**
 * Returns a function that checks the options for a filter. Options that an account sets for all filters at once may
 * only contain what every format understands.
 * @throws UsageError if there is no such filter
 */
async function validator(
	parts: InstallationParts,
	filter: string,
): Promise<(filter: string, options: unknown) => unknown> {
	const { openFormats } = await import('../../installation/opening/open-formats.ts');
	const { parseAccountOptions, parseOptions } = await import('../../engine/options.ts');
	const formats = await openFormats(parts);
	if (filter !== '*' && !formats.has(filter)) {
		throw new UsageError(`--filter must be '*' or one of ${[...formats.keys()].join(', ')}`);
	}
	return (given, options) =>
		given === '*' ? parseAccountOptions(options) : parseOptions(formats.get(given)!, options);
}
