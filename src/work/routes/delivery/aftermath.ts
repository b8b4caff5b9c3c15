// What becomes of a file at its source, once its delivery is known to stand or it was given up.

import { fillPlaceholders, nameBeside } from '../document/placeholders.ts';
import type { Aftermath } from '../document/route.ts';
import type { LedgerRow } from '../ledger/ledger-store.ts';
import type { Source } from '../places/place.ts';
import { factsOf } from './deliver.ts';
import type { RunContext } from './delivery-parts.ts';

/**
 * Deletes or moves a file at its source, together with its done-file, which would otherwise stand beside the next file of
 * the name. It may be repeated after a crash: a file that is gone counts as deleted. Returns where a moved file is now.
 */
export async function carryOutAftermath(
	run: RunContext,
	source: Source,
	row: LedgerRow,
	aftermath: Aftermath,
): Promise<string | undefined> {
	if (aftermath === 'keep' || row.moved_to !== null) return undefined;
	const { doneFile } = run.route.from.ready;
	const beside = doneFile === undefined ? [] : [nameBeside(doneFile, row.path)];
	if (aftermath === 'delete') {
		for (const name of [row.path, ...beside]) await source.remove(name);
		return undefined;
	}
	const folder = fillPlaceholders(aftermath.move, factsOf(run, row));
	const movedTo = await source.move(row.path, folder);
	for (const name of beside) await source.remove(name);
	return movedTo;
}
