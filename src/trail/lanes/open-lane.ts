import type { Knex } from 'knex';
import { type Dialect, transact } from '../../base/database/dialect.ts';
import type { SealingKey } from '../../base/keys/key-ring.ts';
import { ORIGIN_HASH } from '../chain.ts';
import { type HeadRow, laneStore, laneWriter } from './lane-store.ts';
import { laneOfRow, MAIN_ROW, rowOfLane } from './numbers.ts';
import { nextLink, signedHead } from './signed-rows.ts';

/**
 * Makes a lane unless it is there. Nobody writes in any lane meanwhile, because from then on all of them give other
 * numbers; the link that names the new lane is made in the same transaction. Returns false where the database has no
 * main chain yet (`0033-audit-lanes.contract`).
 * @throws Error if the main chain has a link with this lane, and its end is gone
 */
export async function openLane(
	database: { readonly knex: Knex; readonly dialect: Dialect },
	{ lane, at }: { readonly lane: number; readonly at: number },
	key: SealingKey,
): Promise<boolean> {
	const { knex, dialect } = database;
	const isThere = (heads: readonly HeadRow[]) => heads.some(({ id }) => id === rowOfLane(lane));
	if (isThere(await laneStore(knex).listHeads())) return true;
	if (!(await knex.schema.hasTable('audit_links'))) return false;
	await transact(database, async (transaction) => {
		const writer = laneWriter(transaction, dialect);
		const heads = await writer.lockAll();
		if (isThere(heads)) return;
		const main = heads.find(({ id }) => id === MAIN_ROW);
		const linked = main && (await laneStore(transaction).findLink(main.seq));
		if (linked && (JSON.parse(linked.heads) as unknown[][]).some(([known]) => known === lane))
			throw new Error(`the end of lane ${lane} of the audit trail is gone: run \`tokendrop audit verify\``);
		const lanes = Math.max(lane + 1, ...heads.map((head) => head.lanes));
		const link = (main?.seq ?? 0) + 1;
		const signed = heads
			.filter(({ id }) => id !== MAIN_ROW)
			.map(({ id, seq, hash }) => signedHead({ seq, hash, lane: laneOfRow(id), lanes, link }, key));
		const fresh = signedHead({ seq: 0, hash: ORIGIN_HASH, lane, lanes, link }, key);
		for (const head of signed) await writer.moveHead(head);
		await writer.insertHead(fresh);
		const next = nextLink({ heads: [...signed, fresh], at }, main ?? { seq: 0, hash: ORIGIN_HASH }, key);
		await writer.insertLink(next.link);
		await (main ? writer.moveHead(next.main) : writer.insertHead(next.main));
	});
	return true;
}
