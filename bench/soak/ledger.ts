// Compares what was acknowledged with what is found after a round.

import type { Installation, RunningDaemon } from '../../test/helpers/daemon.ts';
import { openSession } from '../../test/helpers/daemon-session.ts';
import { until } from '../../test/helpers/until.ts';
import { type Acknowledged, isWhole } from './load.ts';

/** An attempt that met several crashes waits for some minutes until the next. */
const FILES_WITHIN_MS = 8 * 60_000;
const ASKED_TOGETHER = 16;
/** The statuses of a token that was removed, and of one that is no token of the account (spec §5.4). */
const NOT_KNOWN: readonly number[] = [404, 401];

/** A line of the ledger. */
export interface LedgerLine {
	readonly round: number;
	readonly kind: string;
	readonly cards: number;
	readonly files: number;
	readonly lostCards: number;
	readonly lostFiles: number;
	/** How many cards are stored more often than they were sent, and files that were processed more than once. */
	readonly doubled: number;
	/** What else was not as it should be, such as tokens of which the daemon gave no account. */
	readonly wrong: readonly string[];
}

/**
 * Counts the tokens that the daemon does not know, and the files that did not come out whole, or more than once. Other
 * answers to a question for a card are told apart: they say nothing of the card.
 */
export async function countLost(
	{ demo }: Pick<Installation, 'demo'>,
	daemon: RunningDaemon,
	{ tokens, files }: Acknowledged,
): Promise<Pick<LedgerLine, 'lostCards' | 'lostFiles' | 'doubled' | 'wrong'>> {
	const statusOf = async (token: string) => {
		const headers = { 'x-service-api-key': demo.apiKey };
		const answer = await fetch(`${daemon.baseUrl}/api/payments/paycard/${token}/meta`, { headers });
		await answer.arrayBuffer();
		return answer.status;
	};
	const counts = new Map<number, number>();
	for (let at = 0; at < tokens.length; at += ASKED_TOGETHER) {
		for (const status of await Promise.all(tokens.slice(at, at + ASKED_TOGETHER).map(statusOf)))
			counts.set(status, (counts.get(status) ?? 0) + 1);
	}
	const lostCards = NOT_KNOWN.reduce((sum, status) => sum + (counts.get(status) ?? 0), 0);
	const wrong = [...counts]
		.filter(([status]) => status !== 200 && !NOT_KNOWN.includes(status))
		.map(([status, count]) => `${count} cards were answered with ${status}`);
	const session = await openSession({ teardown() {} }, { demo }, daemon);
	try {
		let lostFiles = 0;
		let doubled = 0;
		for (const name of files) {
			let count = 0;
			// Without a job an upload may still be listed, but nobody would process it.
			const ended = await until(
				`${name} is processed`,
				async () => {
					const jobs = await fetch(`${daemon.baseUrl}/api/jobs?name=${name}`, {
						headers: { 'x-service-api-key': demo.apiKey, accept: 'application/json' },
					});
					const found = (await jobs.json()) as { state: string }[];
					const [job] = found;
					count = found.length;
					return job === undefined || job.state === 'failed' || job.state === 'done'
						? (job?.state ?? 'gone')
						: undefined;
				},
				{ withinMs: FILES_WITHIN_MS, everyMs: 100 },
			).catch(() => 'late');
			const output = ended === 'done' && (await session.get(`/tokenized/SIMPLECSV/${name}`));
			if (output === false || !isWhole(name, output)) lostFiles += 1;
			if (count > 1) doubled += 1;
		}
		const stems = new Map(files.map((name) => [name.replace(/\.csv$/, ''), 0]));
		for (const name of await session.names('/tokenized/SIMPLECSV')) {
			// A second output of a name has a number or the id of its job behind it.
			const stem = /^soak-\d+-\d+/.exec(name)?.[0] ?? '';
			if (stems.has(stem)) stems.set(stem, stems.get(stem)! + 1);
		}
		doubled += [...stems.values()].filter((count) => count > 1).length;
		return { lostCards, lostFiles, doubled, wrong };
	} finally {
		session.end();
	}
}

/** Tells whether a round was as it should be. */
export function isGood({ lostCards, lostFiles, doubled, wrong }: LedgerLine): boolean {
	return lostCards === 0 && lostFiles === 0 && doubled === 0 && wrong.length === 0;
}

/** Writes a line as people read it. */
export function tellLine(line: LedgerLine): string {
	const { round, kind, cards, files, lostCards, lostFiles, doubled, wrong } = line;
	const counts = `${cards} cards and ${files} files acknowledged, ${lostCards} cards and ${lostFiles} files lost, ${doubled} doubled`;
	return `round ${round}, ${kind}: ${[counts, ...wrong].join('; ')}${isGood(line) ? '' : ' — WRONG'}`;
}
