// Runs the rounds of a soak, and writes the ledger of what was acknowledged and of what was found.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Installation, RunningDaemon, Teardown } from '../../test/helpers/daemon.ts';
import { openEventFeed } from './event-feed.ts';
import { countLost, type LedgerLine, tellLine } from './ledger.ts';
import { type Load, type LoadOptions, startLoad } from './load.ts';

const LOAD_MS = 2_000;

/** What is harmed, whatever it consists of. */
export interface Scene<Kind extends string> {
	readonly installation: Installation;
	/** The kinds of rounds, which take turns. */
	readonly kinds: readonly Kind[];
	/** Whether the rounds have routes, of which events tell. */
	readonly hasRoutes: boolean;
	readonly loadOptions: LoadOptions;
	/** Returns a running daemon, which may be another one at each call. */
	current(): RunningDaemon;
	/** Does the harm of a kind, and returns what was not as it should be. */
	harm(kind: Kind, load: Load): Promise<readonly string[]>;
	/** Returns how many cards are stored that came in no file. */
	countCards(): Promise<number>;
	/** Returns where clear card numbers were found. */
	sweep(): Promise<readonly string[]>;
}

/** Runs so many rounds and tells of each. Returns their ledger, at whose end everything is asked for once more. */
export async function runRounds<Kind extends string>(
	t: Teardown,
	scene: Scene<Kind>,
	rounds: number,
	say: (text: string) => void,
): Promise<LedgerLine[]> {
	const { installation, current } = scene;
	const events = await openEventFeed(t, installation);
	const ledger: LedgerLine[] = [];
	const all = { tokens: [] as string[], files: [] as string[] };
	let [before, unknown, told] = [await scene.countCards(), 0, 0];
	const note = (line: LedgerLine) => {
		ledger.push(line);
		say(tellLine(line));
	};
	for (let round = 1; round <= rounds; round++) {
		const kind = scene.kinds[(round - 1) % scene.kinds.length];
		const load = startLoad(installation, current, scene.loadOptions);
		await sleep(LOAD_MS);
		const wrong = [...(await scene.harm(kind, load))];
		await sleep(LOAD_MS);
		await load.end();
		const { acknowledged } = load;
		const lost = await countLost(installation, current(), acknowledged);
		all.tokens.push(...acknowledged.tokens);
		all.files.push(...acknowledged.files);
		unknown += load.unknown();
		// A card whose answer was lost may be stored or not, and no other may be there twice.
		const surplus = Math.max(0, (await scene.countCards()) - before - all.tokens.length - unknown);
		const leaks = (await scene.sweep()).map((where) => `a clear number is in ${where}`);
		note({
			...{ round, kind, cards: acknowledged.tokens.length, files: acknowledged.files.length },
			...lost,
			doubled: lost.doubled + Math.max(0, surplus - told),
			wrong: [...wrong, ...load.wrong, ...lost.wrong, ...leaks, ...(await verify(installation))],
		});
		told = Math.max(told, surplus);
	}
	// Everything is asked for once more, because a later round must not lose what an earlier one has kept.
	const lost = await countLost(installation, current(), all);
	const wrongEvents = scene.hasRoutes ? await events.settle() : [];
	note({
		...{ round: rounds, kind: 'all rounds', cards: all.tokens.length, files: all.files.length },
		...lost,
		doubled: lost.doubled + told,
		wrong: [...lost.wrong, ...wrongEvents],
	});
	say(`${events.told()}; the answers to ${unknown} cards were lost`);
	return ledger;
}

async function verify({ command }: Pick<Installation, 'command'>): Promise<string[]> {
	const { code, stdout, stderr } = await command('audit', 'verify');
	return code === 0 ? [] : [`audit verify: ${stdout || stderr}`];
}
