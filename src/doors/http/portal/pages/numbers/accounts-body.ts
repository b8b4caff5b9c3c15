// Shows all accounts, with the cards, files and units of the last thirty days.

import type { AccountId } from '../../../../../base/database/ids.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import { type AccountRow, accountStore } from '../../../../../people/identity/accounts/account-store.ts';
import { sealedAccounts } from '../../../../../people/identity/sealed-rows.ts';
import { FAILED, splitKind, UNITS } from '../../../../../work/statistics/kinds.ts';
import { periodsOf } from '../../../../../work/statistics/periods.ts';
import { statisticsStore } from '../../../../../work/statistics/statistics-store.ts';
import type { HttpRooms } from '../../../rooms.ts';
import { badge, count, emptyState, pager, table } from '../../pieces.ts';
import type { PortalCall } from '../../portal-page.ts';

const PAGE_LENGTH = 50;

export async function accountsBody(call: PortalCall, { database: { knex }, keyRing, clock }: HttpRooms): Promise<Html> {
	const { texts, language, query } = call;
	const words = texts.numbers;
	const { accounts: labels } = words.installation;
	const after = query.after && /^\d{1,15}$/.test(query.after) ? Number(query.after) : 0;
	const read = () => accountStore(knex).listAfter(after as AccountId, PAGE_LENGTH + 1);
	const found = await keyRing.seals.judge(sealedAccounts, read);
	const shown = found.slice(0, PAGE_LENGTH);
	const accounts = shown.map(({ row }) => row);
	if (accounts.length === 0) return emptyState(labels.none);
	const ids = accounts.map(({ id }) => id);
	const { span, list } = periodsOf('days', clock.now().getTime());
	const starts = list.flatMap((period) => period.starts);
	const sums = await statisticsStore(knex).sumByAccount(ids, span, starts);
	const parents = await accountStore(knex).userIdsOf([...new Set(accounts.flatMap((row) => row.parent_id ?? []))]);
	const number = (value: number) => count(value, language);
	const rows = shown.map(({ row: account, isBroken }) => {
		const own = sums.filter(({ accountId }) => accountId === account.id);
		const sum = (isMeant: (area: string, rest: string) => boolean) =>
			number(own.filter(({ what }) => isMeant(...splitKind(what))).reduce((total, each) => total + each.count, 0));
		const parent = account.parent_id === null ? undefined : parents.get(account.parent_id);
		return [
			html`${account.user_id}${parent !== undefined && html` <small>${labels.of.replace('{parent}', parent)}</small>`}`,
			isBroken ? badge('bad', labels.broken) : stateBadge(account, labels),
			sum((area, rest) => area === 'cards' && rest !== 'back'),
			sum((area) => area === 'file'),
			sum((area) => area === 'refused'),
			sum((area) => area === FAILED),
			sum((area) => area === UNITS),
			account.allowance_limit === null
				? words.unlimited
				: `${number(Math.max(0, account.allowance_limit - account.allowance_used))} ${words.ofLimit.replace('{limit}', number(account.allowance_limit))}`,
		];
	});
	const { tiles } = words;
	const head = [labels.account, labels.state, tiles.cards, tiles.files, tiles.refused, tiles.failed, tiles.units];
	const next = found.length > PAGE_LENGTH ? String(accounts.at(-1)!.id) : undefined;
	return html`${table({ caption: labels.caption, head: [...head, tiles.allowance], rows })}${pager(call, '/portal/installation/accounts', { after: query.after }, next)}`;
}

function stateBadge(
	{ disabled_at, blocked_at }: AccountRow,
	labels: { readonly active: string; readonly blocked: string; readonly disabled: string },
): Html {
	if (disabled_at !== null) return badge('plain', labels.disabled);
	return blocked_at === null ? badge('good', labels.active) : badge('bad', labels.blocked);
}
