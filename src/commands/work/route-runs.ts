import type { Command } from 'commander';
import {
	type CommandContext,
	EXIT,
	type Frame,
	readOptionFile,
	table,
	UsageError,
} from '../../installation/frame/command.ts';
import type { LedgerState } from '../../work/routes/ledger/ledger-store.ts';
import type { CheckedRoute } from '../../work/routes/runs/check-route.ts';
import type { ShownRun } from '../../work/routes/runs/history.ts';
import type { RunState } from '../../work/routes/runs/run.ts';
import { openRouteParts } from './route-parts.ts';

interface RunOptions {
	readonly userId: string;
	readonly name: string;
	readonly file?: string;
	readonly run?: string;
	readonly state?: string;
	readonly day?: string;
	readonly wait?: boolean;
	readonly dryRun?: boolean;
}

const RUN_STATES = ['running', 'done', 'partly', 'failed', 'stopped'] as const satisfies RunState[];
const FILE_STATES = ['seen', 'claimed', 'done', 'dead'] as const satisfies LedgerState[];
const MAX_RUNS = 100;
const MAX_FILES = 10_000;

/** Registers `route check|run|history|files|retry|forget`. */
export function registerRuns(group: Command, frame: Frame): void {
	const command = (name: string, description: string) =>
		group.command(name).description(description).requiredOption('--user-id <id>', 'the account');
	const named = (name: string, description: string) =>
		command(name, description).requiredOption('--name <name>', 'the route');

	command(
		'check',
		'log in at both ends, and list which files a route would take and why not the others; writes nothing',
	)
		.option('--file <file>', 'a document that need not be stored; - is standard input')
		.option('--name <name>', 'a stored route')
		.action(frame.action<RunOptions>(check));
	named('run', 'run a route now')
		.option('--wait', 'wait for its end; exit code 1 unless every file was delivered')
		.option('--dry-run', 'only list which files it would take, as check does')
		.action(frame.action<RunOptions>(runNow));
	named('history', 'the runs of a route, newest first, and what became of each file')
		.option('--state <state>', `only runs in this state: ${RUN_STATES.join(', ')}`)
		.option('--day <day>', 'only runs of this day (UTC): YYYY-MM-DD, today or yesterday')
		.action(
			frame.action<RunOptions>(async (context, options) => {
				const state = oneOf('--state', options.state, RUN_STATES);
				const { routes, owner, database, clock } = await openRouteParts(context, options);
				const { parseDay } = await import('../../work/jobs/day.ts');
				const { runStore } = await import('../../work/routes/runs/run-store.ts');
				const { row } = await routes.get(owner.accountId, options.name);
				const period = options.day === undefined ? {} : parseDay(options.day, clock.now());
				const runs = await runStore(database.knex).list(row.id, { state, ...period, limit: MAX_RUNS });
				const shown = await shownOf(database, options.name, runs);
				context.output.show(shown, shown.map(runText).join('\n\n') || 'It has not run yet.');
			}),
		);
	named('files', 'the ledger: every file that the route has seen')
		.option('--state <state>', `only files in this state: ${FILE_STATES.join(', ')}`)
		.action(
			frame.action<RunOptions>(async (context, options) => {
				const state = oneOf('--state', options.state, FILE_STATES);
				const { routes, owner, database } = await openRouteParts(context, options);
				const { ledgerStore } = await import('../../work/routes/ledger/ledger-store.ts');
				const { shownFiles } = await import('../../work/routes/runs/history.ts');
				const { row } = await routes.get(owner.accountId, options.name);
				const files = shownFiles(await ledgerStore(database.knex).list(row.id, { state, limit: MAX_FILES }));
				const cells = files.map((file) => [
					...[file.path, String(file.size), file.modifiedAt, file.state, String(file.tries)],
					...[file.nextTryAt ?? '-', file.reason ?? '-'],
				]);
				context.output.show(files, table(['file', 'bytes', 'time', 'state', 'tries', 'next try', 'reason'], cells));
			}),
		);
	named('retry', 'take files again that were given up')
		.option('--file <path>', 'this file')
		.option('--run <run>', 'the files that were given up in this run')
		.action(
			frame.action<RunOptions>(async (context, options) => {
				if ((options.file === undefined) === (options.run === undefined)) throw new UsageError('give --file or --run');
				const { routes, owner, actor, parts } = await openRouteParts(context, options);
				const { retryFiles } = await import('../../work/routes/ledger/take-again.ts');
				const { routeSubject } = await import('../../work/routes/route-store.ts');
				const { row } = await routes.get(owner.accountId, options.name);
				const asked = { row, subject: routeSubject(owner.userId, row.name), actor };
				const which = { path: options.file, runId: options.run };
				const files = await retryFiles(parts(), asked, which);
				const text = files.length === 0 ? 'No such file was given up.' : `Taken again: ${files.join(', ')}`;
				context.output.show({ name: row.name, files }, text);
				if (files.length === 0) context.exitCode = EXIT.failed;
			}),
		);
	named('forget', 'let a file come again, as if it had never come')
		.requiredOption('--file <path>', 'the file')
		.action(
			frame.action<RunOptions>(async (context, options) => {
				const { routes, owner, actor, parts } = await openRouteParts(context, options);
				const { forgetFile } = await import('../../work/routes/ledger/take-again.ts');
				const { routeSubject } = await import('../../work/routes/route-store.ts');
				const { row } = await routes.get(owner.accountId, options.name);
				const asked = { row, subject: routeSubject(owner.userId, row.name), actor };
				const forgotten = await forgetFile(parts(), asked, options.file!);
				const text = forgotten === 0 ? 'The ledger has no such file that has ended.' : 'Forgotten.';
				context.output.show({ name: row.name, file: options.file, forgotten: forgotten > 0 }, text);
				if (forgotten === 0) context.exitCode = EXIT.failed;
			}),
		);
}

async function check(context: CommandContext, options: RunOptions): Promise<void> {
	if ((options.file === undefined) === (options.name === undefined)) throw new UsageError('give --file or --name');
	const { routes, owner, parts } = await openRouteParts(context, options);
	const { checkRoute } = await import('../../work/routes/runs/check-route.ts');
	const stored = options.name === undefined ? undefined : await routes.get(owner.accountId, options.name);
	const route = stored?.route ?? (await routes.read(owner, await readOptionFile('--file', options.file!)));
	const signal = AbortSignal.timeout(60_000);
	const checked = await checkRoute(parts(), { ...owner, signal }, route, stored?.row.id);
	context.output.show({ name: route.name, ...checked }, checkText(checked));
	if (!checked.isOk) context.exitCode = EXIT.failed;
}

async function runNow(context: CommandContext, options: RunOptions): Promise<void> {
	if (options.dryRun) return check(context, options);
	const { routes, owner, actor, audit, database, clock, parts } = await openRouteParts(context, options);
	const { askForRun } = await import('../../work/routes/runs/begin-runs.ts');
	const { routeSubject } = await import('../../work/routes/route-store.ts');
	const { runStore } = await import('../../work/routes/runs/run-store.ts');
	const { row } = await routes.get(owner.accountId, options.name);
	const asked = await askForRun({ database, clock }, row, 'hand');
	const subject = routeSubject(owner.userId, row.name);
	const entry = { actor, action: 'route.ask', subject, account: { within: owner.accountId } };
	await audit.record({ ...entry, details: { run: asked.id } });
	if (options.wait) {
		const { carryOutHere } = await import('../../work/routes/runs/carry-out-here.ts');
		await carryOutHere(parts(), asked);
	}
	const [run] = await shownOf(database, options.name, [(await runStore(database.knex).findById(asked.id))!]);
	context.output.show(run, runText(run));
	if (options.wait && run.state !== 'done') context.exitCode = EXIT.failed;
}

async function shownOf(
	{ knex }: Awaited<ReturnType<typeof openRouteParts>>['database'],
	name: string,
	runs: Parameters<typeof import('../../work/routes/runs/history.ts')['shownRuns']>[1],
): Promise<ShownRun[]> {
	const { shownRuns } = await import('../../work/routes/runs/history.ts');
	const { runStore } = await import('../../work/routes/runs/run-store.ts');
	const files = runs.length === 0 ? [] : await runStore(knex).listFiles(runs.map(({ id }) => id));
	return shownRuns(name, runs, files);
}

function oneOf<const Word extends string>(
	option: string,
	text: string | undefined,
	words: readonly Word[],
): Word | undefined {
	const found = words.find((word) => word === text);
	if (text !== undefined && found === undefined) throw new UsageError(`${option} must be one of ${words.join(', ')}`);
	return found;
}

function runText({ run, trigger, state, startedAt, endedAt, reason, files }: ShownRun): string {
	const lines = [`${run}  ${state} (${trigger})  ${startedAt} to ${endedAt ?? '-'}`];
	if (reason !== null) lines.push(`  ${reason}`);
	for (const file of files) {
		const as = file.deliveredAs === null ? '' : ` as ${file.deliveredAs}`;
		const cards = file.cards === null ? '' : `, ${file.cards} cards, ${file.refused} refused`;
		lines.push(`  ${file.path}: ${file.state}${as}${cards}${file.reason === null ? '' : `: ${file.reason}`}`);
	}
	return lines.join('\n');
}

function checkText({ from, to }: CheckedRoute): string {
	const end = (name: string, { reason, facts }: CheckedRoute['to']) =>
		`${name} ${Object.values(facts).join(' ')}: ${reason ?? 'reached'}`;
	const lines = [end('From', from), end('To', to), `${from.listed} names are listed.`];
	lines.push(...from.files.map(({ path, size }) => `  takes ${path} (${size} bytes)`));
	lines.push(...from.left.map(({ path, reason }) => `  leaves ${path}: ${reason}`));
	if (from.leftCount > from.left.length) lines.push(`  and leaves ${from.leftCount - from.left.length} more`);
	return lines.join('\n');
}
