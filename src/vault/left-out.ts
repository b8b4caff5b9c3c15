// Decides which cards of a commit are not looked up as duplicates, because the daily limit on such look-ups is
// exceeded.

import type { Clock } from '../clock.ts';
import type { AccountId } from '../database/ids.ts';
import type { Database } from '../database/open.ts';
import type { LiveGenerations } from '../keys/generations.ts';
import { AttemptCipher, countAttempts, countingKeyOf, type EliminationLimit } from './elimination.ts';
import type { RecordRequest } from './new-card.ts';
import { pageKindOf } from './record-codec.ts';

/**
 * Counts the look-up of every card whose request has `eliminatesDuplicates`. Returns the requests whose look-ups exceed
 * the limit.
 */
export async function findLeftOut(
	rooms: {
		readonly database: Database;
		readonly fingerprintKeys: LiveGenerations;
		readonly clock: Clock;
		readonly elimination: EliminationLimit | undefined;
	},
	requests: readonly RecordRequest[],
): Promise<ReadonlySet<RecordRequest>> {
	const { database, fingerprintKeys, clock, elimination } = rooms;
	const asking = requests.filter(({ eliminatesDuplicates, fields }) => eliminatesDuplicates && fields.kind === 'card');
	const leftOut = new Set<RecordRequest>();
	for (const indexes of groupByOwner(asking).values()) {
		const ofOwner = indexes.map((index) => asking[index]);
		const { accountId, creatorId } = ofOwner[0];
		const now = clock.now();
		const cipher = new AttemptCipher(countingKeyOf(await fingerprintKeys.of(accountId), now));
		for (const { fields } of ofOwner) cipher.add(fields);
		const attempts = cipher.take();
		const whose = { accountId, creatorId, now };
		const isLeftOut = await countAttempts(database, whose, attempts, elimination);
		for (const [nth, request] of ofOwner.entries()) if (isLeftOut(attempts[nth])) leftOut.add(request);
	}
	return leftOut;
}

/**
 * Groups requests that have the same account, user and kind of page. Returns the indexes of the requests in each group.
 */
export function groupByOwner(requests: readonly RecordRequest[]): Map<string, number[]> {
	const groups = new Map<string, number[]>();
	for (const [index, { accountId, creatorId, fields }] of requests.entries()) {
		const name = `${accountId}/${creatorId satisfies AccountId}/${pageKindOf(fields.kind)}`;
		const group = groups.get(name);
		if (group) group.push(index);
		else groups.set(name, [index]);
	}
	return groups;
}
