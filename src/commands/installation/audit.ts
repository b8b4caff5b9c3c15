import { open } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { InvalidArgumentError } from 'commander';
import type { AskedTrail } from '../../installation/files/trail-listing.ts';
import {
	type CommandContext,
	EXIT,
	STANDARD_INPUT,
	table,
	UsageError,
	wholeNumber,
} from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import type { TrailEntry } from '../../trail/questions/trail-entry.ts';
import { writeNewFile } from '../new-file.ts';

interface ExportOptions {
	readonly fromEntry?: number;
	readonly toEntry?: number;
	/** The first moment of the day, in milliseconds since 1970. */
	readonly fromDay?: number;
	readonly toDay?: number;
}

interface ListOptions extends Omit<AskedTrail, 'since' | 'until'> {
	/** The first moment of the day, in milliseconds since 1970. */
	readonly from?: number;
	readonly to?: number;
	readonly limit?: number;
	readonly before?: number;
	readonly after?: number;
	readonly csv?: boolean;
}

const DAY_MS = 86_400_000;
/** At most this many entries are listed unless a limit is given. */
const LISTED = 100;
const LIST_HEADINGS = ['number', 'at', 'actor', 'from', 'action', 'subject', 'details'];

function cellsOf({ seq, at, actor, origin, action, subject, details }: TrailEntry): (string | number)[] {
	const { person, credential, address, call } = origin;
	const from = [person, credential, address, call].filter((part) => part !== undefined).join(' ');
	const told = Object.entries(details).map(([name, value]) => `${name}=${value}`);
	return [seq, at, actor, from, action, subject, told.join(' ')];
}

export function register(program: FramedCommand): void {
	const audit = program.subcommand('audit', 'the trail of everything that moved a card or changed an account');
	audit
		.subcommand(
			'list',
			'entries of the trail that fit everything that is given, youngest first; asking is an entry too',
		)
		.option('--token <token>', 'about this card: who saw it')
		.option('--job <id>', 'about this job')
		.option('--file <name>', 'about files with this name')
		.option('--destination <name>', 'about destinations with this name')
		.option('--profile <name>', 'about profiles with this name')
		.option('--card-request <id>', 'about this card request')
		.option('--route <user-id/name>', 'about this route of this account')
		.option('--call <id>', 'of the call whose answer had this X-Request-Id')
		.option('--user-id <id>', 'about this account, or by it')
		.option('--person <name>', 'about this user of the portal, or by them')
		.option('--operator <name>', 'about this operator, or by them')
		.option('--api-key <id>', 'about the API key with this number, or by it', wholeNumber)
		.option('--ssh-key <id>', 'about the SSH key with this number, or by it', wholeNumber)
		.option('--kind <kinds>', 'actions, as card.relay or for all of them card, with commas')
		.option('--from <day>', 'from this day on, as 2026-11-30 (UTC)', dayStart)
		.option('--to <day>', 'up to the end of this day (UTC)', dayStart)
		.option('--limit <n>', 'at most this many; --csv writes all unless it is given', wholeNumber)
		.option('--before <n>', 'entries before the one with this number', wholeNumber)
		.option('--after <n>', 'entries after the one with this number', wholeNumber)
		.option('--csv', 'write CSV to standard output')
		.run<ListOptions>(async (context, options) => {
			const { csv = false, limit, before, after, to, from, ...asked } = options;
			if (csv && context.output.isJson) throw new UsageError('--csv and --json do not go together');
			if (before !== undefined && after !== undefined) throw new UsageError('give --before or --after, not both');
			const { askTrail, writeTrail } = await import('../../installation/files/trail-listing.ts');
			const parts = await context.parts();
			const question = { ...asked, since: from, until: to === undefined ? undefined : to + DAY_MS - 1 };
			if (csv && limit === undefined && before === undefined && after === undefined)
				return writeTrail(parts, question, process.stdout);
			const answer = await askTrail(parts, question, { before, after, limit: limit ?? LISTED });
			if (csv) return writeTrail(parts, answer.entries, process.stdout);
			const { entries, older, newer, count, isAtLeast } = answer;
			const lines = [entries.length === 0 ? 'No entry fits.' : table(LIST_HEADINGS, entries.map(cellsOf))];
			lines.push(`${entries.length} of ${count}${isAtLeast ? ' or more' : ''} entries.`);
			if (older !== undefined) lines.push(`Older ones: --before ${older}`);
			if (newer !== undefined) lines.push(`Newer ones: --after ${newer}`);
			context.output.show({ ...answer, older: older ?? null, newer: newer ?? null }, lines.join('\n'));
		});
	audit
		.subcommand(
			'verify',
			'walk the whole trail and compare it with what was noted of it; exit code 1 when something does not fit',
		)
		.option('--file <file>', 'prove an export instead, by itself and under the keys of this installation')
		.option('--links-only', 'with --file: without keys and database, only that no line is missing between two others')
		.run<{ file?: string; linksOnly?: boolean }>(async (context, { file, linksOnly }) => {
			if (file !== undefined) return verifyFile(context, file, linksOnly ?? false);
			if (linksOnly) throw new UsageError('--links-only goes with --file');
			const { compareHeads } = await import('../../trail/checks/compare-heads.ts');
			const { audit, database, keyRing } = await context.parts();
			const verdict = await audit.verify();
			const problems = await compareHeads({ database, keyRing, headFile: context.settings.audit.headFile });
			if (!verdict.isWhole || problems.length > 0) context.exitCode = EXIT.failed;
			const { checkStore } = await import('../../trail/checks/check-store.ts');
			await checkStore(database.knex).put({
				at: Date.now(),
				entries: verdict.entries,
				broken_at: verdict.isWhole ? null : verdict.brokenAt,
				reason: verdict.isWhole ? (problems.length > 0 ? 'unlike-notes' : null) : verdict.reason,
			});
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
		});
	audit
		.subcommand('export', 'write the trail, one JSON object a line')
		.argument('<out>', 'a new file, or - for standard output')
		.option('--from-entry <n>', 'from this entry on', wholeNumber)
		.option('--to-entry <n>', 'up to this entry, with it', wholeNumber)
		.option('--from-day <day>', 'from this day on, as 2026-11-30 (UTC)', dayStart)
		.option('--to-day <day>', 'up to the end of this day (UTC)', dayStart)
		.run<ExportOptions>(async (context, options, file) => {
			const range = rangeOf(options);
			const { audit, actor } = await context.parts();
			const details = { to: file === '-' ? 'standard output' : 'a file', ...shownRange(options) };
			// The export is recorded before its first entry is written, so that it contains its own record.
			const exportTo = async (stream: Writable) => {
				await audit.record({ actor, action: 'audit.export', subject: 'audit', details });
				const entries = await audit.exportTo(stream, range);
				if (entries === 0) throw new Error('the trail has no entry in this range');
				return entries;
			};
			if (file === '-') {
				await exportTo(process.stdout);
				return;
			}
			const entries = await writeNewFile(context, file!, exportTo);
			context.output.show({ file, entries }, `${entries} entries written to ${file}`);
		});
}

async function verifyFile(context: CommandContext, path: string, linksOnly: boolean): Promise<void> {
	const { verifyExport } = await import('../../trail/checks/verify-export.ts');
	const lines = path === STANDARD_INPUT ? process.stdin : await openExport(context, path);
	const parts = linksOnly ? undefined : await context.parts();
	const verdict = await verifyExport(eachLine(lines), parts?.keyRing);
	if (!verdict.isWhole) {
		context.exitCode = EXIT.failed;
		context.output.show(verdict, `The export is broken at line ${verdict.line}: ${verdict.reason}.`);
		return;
	}
	const { first, last, entries, lastHash } = verdict;
	const isInTrail = parts && (await parts.audit.findHash(last)) === lastHash;
	const where = isInTrail ? 'The trail here has them too.' : 'The trail here no longer has the last of them.';
	const links = 'Its lines follow each other. Without keys this says nothing of what stands in them.';
	context.output.show(
		{ isWhole: true, first, last, entries, isProven: !linksOnly, isInTrail: isInTrail ?? null },
		`The export is whole: ${entries} entries, ${first} to ${last}. ${linksOnly ? links : where}`,
	);
}

async function openExport({ opened }: CommandContext, path: string): Promise<AsyncIterable<Buffer>> {
	const handle = await open(path).catch((cause: NodeJS.ErrnoException) => {
		throw new UsageError(`--file ${path}: ${cause.code}`, { cause });
	});
	opened('export', handle);
	return handle.createReadStream({ autoClose: false });
}

/** Splits text at line feeds only, because some readers take characters in names for the end of a line. */
async function* eachLine(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
	const { wholeLines } = await import('../../work/jobs/attempts/entry-spool.ts');
	for await (const lines of wholeLines(chunks)) yield* lines;
}

function rangeOf({ fromEntry, toEntry, fromDay, toDay }: ExportOptions) {
	if ((fromEntry ?? toEntry) !== undefined && (fromDay ?? toDay) !== undefined) {
		throw new UsageError('give a range of entries or of days, not both');
	}
	return {
		first: fromEntry,
		last: toEntry,
		since: fromDay,
		until: toDay === undefined ? undefined : toDay + DAY_MS - 1,
	};
}

/** Returns the limits of the range that were given on the command line, for the entry about the export. */
function shownRange({ fromEntry, toEntry, fromDay, toDay }: ExportOptions): Record<string, string | number> {
	const day = (start: number | undefined) => start && new Date(start).toISOString().slice(0, 10);
	const given = Object.entries({ fromEntry, toEntry, fromDay: day(fromDay), toDay: day(toDay) });
	return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as Record<string, string | number>;
}

function dayStart(text: string): number {
	const start = Date.parse(`${text}T00:00:00Z`);
	// `Date.parse` reads a date that does not exist, such as 2026-02-30, as another day. Such a date is refused.
	const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(start);
	if (!isDay || !new Date(start).toISOString().startsWith(text))
		throw new InvalidArgumentError('Expected a day, as 2026-11-30.');
	return start;
}
