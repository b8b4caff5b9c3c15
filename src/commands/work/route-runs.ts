import { type CommandContext, EXIT, readOptionFile, table, UsageError } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import type { LedgerState } from '../../work/routes/ledger/ledger-store.ts';
import type { shownCheck } from '../../work/routes/runs/check-route.ts';
import type { ShownRun } from '../../work/routes/runs/history.ts';
import type { RunState } from '../../work/routes/runs/run-store.ts';
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

export function registerRuns(group: FramedCommand): void {
	const named = (name: string, description: string) =>
		group.ofAccount(name, description).requiredOption('--name <name>', 'the route');

	group
		.ofAccount(
			'check',
			'log in at both ends, and list which files a route would take and why not the others; writes nothing',
		)
		.option('--file <file>', 'a document that need not be stored; - is standard input')
		.option('--name <name>', 'a stored route')
		.run<RunOptions>(check);
	named('run', 'run a route now')
		.option('--wait', 'wait for its end; exit code 1 unless every file was delivered')
		.option('--dry-run', 'only list which files it would take, as check does')
		.run<RunOptions>(runNow);
	named('history', `the last ${MAX_RUNS} runs of a route, newest first, and what became of each file`)
		.option('--state <state>', `only runs in this state: ${RUN_STATES.join(', ')}`)
		.option('--day <day>', 'only runs of this day (UTC): YYYY-MM-DD, today or yesterday')
		.run<RunOptions>(async (context, options) => {
			const state = oneOf('--state', options.state, RUN_STATES);
			const { routes, owner, database, clock } = await openRouteParts(context, options);
			const { parseDay } = await import('../../work/jobs/day.ts');
			const { listRuns } = await import('../../work/routes/runs/history.ts');
			const { row } = await routes.get(owner.accountId, options.name);
			const period = options.day === undefined ? {} : parseDay(options.day, clock.now());
			const shown = await listRuns(database, row, { state, ...period, limit: MAX_RUNS });
			context.output.show(shown, shown.map(runText).join('\n\n') || 'It has not run yet.');
		});
	named('files', `the ledger: the last ${MAX_FILES} files that the route has seen, newest first`)
		.option('--state <state>', `only files in this state: ${FILE_STATES.join(', ')}`)
		.run<RunOptions>(async (context, options) => {
			const state = oneOf('--state', options.state, FILE_STATES);
			const { routes, owner, database } = await openRouteParts(context, options);
			const { listFiles } = await import('../../work/routes/runs/history.ts');
			const { row } = await routes.get(owner.accountId, options.name);
			const listed = await listFiles(database, row, { state, limit: MAX_FILES });
			const files = listed.map(({ file }) => file);
			const cells = files.map((file) => [
				...[file.path, String(file.size), file.modifiedAt, file.state, String(file.tries)],
				...[file.nextTryAt ?? '-', file.reason ?? '-'],
			]);
			context.output.show(files, table(['file', 'bytes', 'time', 'state', 'tries', 'next try', 'reason'], cells));
		});
	named('retry', 'take files again that were given up')
		.option('--file <path>', 'this file')
		.option('--run <run>', 'the files that were given up in this run')
		.run<RunOptions>(async (context, options) => {
			if ((options.file === undefined) === (options.run === undefined)) throw new UsageError('give --file or --run');
			const { routes, owner, actor, controls } = await openRouteParts(context, options);
			const { row } = await routes.get(owner.accountId, options.name);
			const which = { path: options.file, runId: options.run };
			const files = await (await controls()).retry({ ...owner, actor }, row, which);
			const rests = row.stopped_reason !== null ? 'stopped' : row.paused ? 'paused' : undefined;
			const later = rests === undefined ? '' : `. The route is ${rests}: they wait for \`route resume\``;
			const text = files.length === 0 ? 'No such file was given up.' : `Taken again: ${files.join(', ')}${later}`;
			context.output.show({ name: row.name, files }, text);
			if (files.length === 0) context.exitCode = EXIT.failed;
		});
	named('forget', 'let a file come again, as if it had never come')
		.requiredOption('--file <path>', 'the file')
		.run<RunOptions>(async (context, options) => {
			const { routes, owner, actor, controls } = await openRouteParts(context, options);
			const { row } = await routes.get(owner.accountId, options.name);
			const forgotten = await (await controls()).forget({ ...owner, actor }, row, options.file!);
			const text = forgotten === 0 ? 'The ledger has no such file that has ended.' : 'Forgotten.';
			context.output.show({ name: row.name, file: options.file, forgotten: forgotten > 0 }, text);
			if (forgotten === 0) context.exitCode = EXIT.failed;
		});
}

async function check(context: CommandContext, options: RunOptions): Promise<void> {
	if ((options.file === undefined) === (options.name === undefined)) throw new UsageError('give --file or --name');
	const { routes, owner, controls } = await openRouteParts(context, options);
	const stored = options.name === undefined ? undefined : await routes.get(owner.accountId, options.name);
	const route = stored?.route ?? (await routes.read(owner, await readOptionFile('--file', options.file!)));
	const signal = AbortSignal.timeout(60_000);
	const checked = await (await controls()).check({ ...owner, signal }, route);
	context.output.show({ name: route.name, ...checked }, checkText(checked));
	if (!checked.isOk) context.exitCode = EXIT.failed;
}

async function runNow(context: CommandContext, options: RunOptions): Promise<void> {
	if (options.dryRun) return check(context, options);
	const { routes, owner, actor, database, parts, controls } = await openRouteParts(context, options);
	const { shownRun } = await import('../../work/routes/runs/history.ts');
	const { runStore } = await import('../../work/routes/runs/run-store.ts');
	const { row } = await routes.get(owner.accountId, options.name);
	const asked = await (await controls()).run({ ...owner, actor }, row, 'hand');
	if (options.wait) {
		const { carryOutHere } = await import('../../work/routes/runs/carry-out-here.ts');
		await carryOutHere(parts(), asked);
	}
	const store = runStore(database.knex);
	const files = await store.listFiles([asked.id]);
	const run = shownRun(row.name, (await store.findById(asked.id))!, files);
	context.output.show(run, runText(run));
	if (options.wait && run.state !== 'done') context.exitCode = EXIT.failed;
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

function checkText({ from, to, warnings }: ReturnType<typeof shownCheck>): string {
	const end = (name: string, { reason, facts }: typeof to) =>
		`${name} ${Object.values(facts).join(' ')}: ${reason ?? 'reached'}`;
	const lines = [end('From', from), end('To', to), ...warnings.map((text) => `Warning: ${text}.`)];
	lines.push(`${from.listed} names are listed.`);
	lines.push(...from.files.map(({ path, size }) => `  takes ${path} (${size} bytes)`));
	lines.push(...from.left.map(({ path, reason }) => `  leaves ${path}: ${reason}`));
	if (from.leftCount > from.left.length) lines.push(`  and leaves ${from.leftCount - from.left.length} more`);
	return lines.join('\n');
}
