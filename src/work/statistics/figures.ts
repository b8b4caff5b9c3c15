// The counts that pages show. Doors ask this object and hold no SQL.

import type { Clock } from '../../base/clock.ts';
import type { AccountId } from '../../base/database/ids.ts';
import type { Database } from '../../base/database/open.ts';
import type { AccountFigures } from '../../people/portal-users/installation.ts';
import { FAILED, splitKind, UNITS } from './kinds.ts';
import { readOverview } from './overview.ts';
import { periodsOf, type View } from './periods.ts';
import { ALL_ACCOUNTS, statisticsStore } from './statistics-store.ts';

export type Figures = ReturnType<typeof openFigures>;

export function openFigures({ database, clock }: { readonly database: Database; readonly clock: Clock }) {
	const nowMs = () => clock.now().getTime();
	return {
		overview: (accountId: AccountId | undefined, view: View) =>
			readOverview(database, accountId ?? ALL_ACCOUNTS, view, nowMs()),
		async ofAccounts(ids: readonly AccountId[]): Promise<(id: AccountId) => AccountFigures> {
			const { span, list } = periodsOf('days', nowMs());
			const starts = list.flatMap((period) => period.starts);
			const sums = await statisticsStore(database.knex).sumByAccount(ids, span, starts);
			return (id) => {
				const own = sums.filter(({ accountId }) => accountId === id);
				const sum = (isMeant: (area: string, rest: string) => boolean) =>
					own.filter(({ what }) => isMeant(...splitKind(what))).reduce((total, { count }) => total + count, 0);
				return {
					cards: sum((area, rest) => area === 'cards' && rest !== 'back'),
					files: sum((area) => area === 'file'),
					refused: sum((area) => area === 'refused'),
					failed: sum((area) => area === FAILED),
					units: sum((area) => area === UNITS),
				};
			};
		},
	};
}
