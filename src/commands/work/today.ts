import type { AccountDay, DayReport } from '../../installation/files/today.ts';
import { table } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';

/** Registers `today`: for each account the files sent, their results, what waits, and who fetched what. */
export function register(program: FramedCommand): void {
	program
		.subcommand('today', 'what each account sent, what came of it, what waits, and who fetched what')
		.option('--account <id>', 'this account alone')
		.option('--day <day>', 'another day (UTC): 2026-05-31 or yesterday')
		.run<{ account?: string; day?: string }>(async (context, options) => {
			const { reportDay } = await import('../../installation/files/today.ts');
			const report = await reportDay(await context.parts(), options, new Date());
			context.output.show(report, textOf(report));
		});
}

function textOf({ from, accounts }: DayReport): string {
	const day = `${from.slice(0, 10)} (UTC)`;
	if (accounts.length === 0) return `${day}: nothing was sent, nothing waits, nothing was fetched.`;
	return [day, ...accounts.map(accountText)].join('\n\n');
}

function accountText({ account, sent, overHttp, waiting, fetched, notFetched, failures }: AccountDay): string {
	const lines = [account];
	if (sent.length > 0) {
		const headings = ['  sent to', 'files', 'done', 'failed', 'open', 'cards', 'refused', 'warned', 'other numbers'];
		const rows = sent.map((each) => [
			...[`  /${each.operation}/${each.filter}`, each.files, each.done, each.failed, each.open],
			...[each.cards, each.refused, each.warned, each.otherNumbers],
		]);
		lines.push(table(headings, rows));
	} else lines.push('  nothing was sent');
	for (const { operation, way, calls, cards, refused } of overHttp) {
		const isSingle = calls === cards && refused === 0;
		const counts = isSingle ? `${cards}` : `${calls} with ${cards} cards, ${refused} refused`;
		lines.push(`  ${operation}d over HTTP, ${way}: ${counts}`);
	}
	for (const { job, filter, name, reason } of failures)
		lines.push(`  failed: ${filter}/${name}: ${reason} (job ${job})`);
	for (const { what, files, since } of waiting) lines.push(`  ${WAITING[what] ?? what}: ${files}, since ${since}`);
	for (const { by, door, operation, files, lastAt } of fetched) {
		lines.push(`  fetched by ${by} over ${door}: ${files} ${operation}d, last ${lastAt}`);
	}
	if (notFetched > 0) lines.push(`  not fetched yet: ${notFetched}`);
	return lines.join('\n');
}

const WAITING: Record<string, string> = {
	queued: 'waiting in the queue',
	running: 'being processed',
	unfinished: 'uploads not finished',
};
