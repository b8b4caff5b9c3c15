// Shows the state of the audit trail, and its entries page by page, the latest first.

import { type Html, type HtmlValue, html } from '../../../../../base/pages/html.ts';
import type { AuditView, InstallationView } from '../../../../../people/portal-users/installation.ts';
import { auditStore } from '../../../../../trail/audit-store.ts';
import type { TrailCheck } from '../../../../../trail/checks/check-store.ts';
import type { HttpRooms } from '../../../rooms.ts';
import { badge, count, definitions, pager, table, time } from '../../pieces.ts';
import type { PortalCall } from '../../portal-page.ts';

const PAGE_LENGTH = 50;

export async function auditBody(
	call: PortalCall,
	{ database: { knex } }: HttpRooms,
	installation: InstallationView,
): Promise<Html> {
	const { texts, language, query } = call;
	const words = texts.numbers.installation.audit;
	const before = query.after && /^\d{1,15}$/.test(query.after) ? Number(query.after) : undefined;
	const entries = await auditStore(knex).listBefore(before, PAGE_LENGTH);
	const rows = entries.map(({ seq, at, actor, action, subject }) => [
		...[count(Number(seq), language), time(Number(at), language), actor, action, subject],
	]);
	const head = [words.number, words.at, words.actor, words.action, words.subject];
	const next = entries.length === PAGE_LENGTH && entries.at(-1)!.seq > 1 ? String(entries.at(-1)!.seq) : undefined;
	return html`${before === undefined && stateOf(call, await installation.audit())}${table({ caption: words.caption, head, rows })}${pager(call, '/portal/installation/audit', { after: query.after }, next)}`;
}

function stateOf({ texts, language }: PortalCall, { entries, end, lastNote, lastCheck, targets }: AuditView): Html {
	const words = texts.numbers.installation.audit;
	const number = (value: number) => count(value, language);
	const broken = (entry: number, reason: string) =>
		badge('bad', words.broken.replace('{entry}', number(entry)).replace('{reason}', reason));
	const checked = (check: TrailCheck | undefined): HtmlValue => {
		if (!check) return badge('busy', words.never);
		const whole = () => badge('good', words.whole.replace('{entries}', number(check.entries)));
		return html`${time(check.at, language)} ${check.reason === null ? whole() : broken(Number(check.broken_at ?? 0), check.reason)}`;
	};
	const { verdict } = end;
	return definitions([
		[words.entries, number(entries)],
		[
			words.end.replace('{count}', number(end.count)),
			verdict.isWhole ? badge('good', words.fit) : broken(verdict.brokenAt, verdict.reason),
		],
		[words.verified, checked(lastCheck)],
		[words.lastNote, lastNote ? html`${number(lastNote.entry)}, ${time(lastNote.atMs, language)}` : '–'],
		...targets.map(({ kind, behind }) => [kind, words.behind.replace('{entries}', number(behind))] as const),
	]);
}
