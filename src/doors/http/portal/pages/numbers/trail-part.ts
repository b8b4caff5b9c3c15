import { type HtmlValue, html } from '../../../../../base/pages/html.ts';
import type { AuditView } from '../../../../../people/portal-users/installation.ts';
import type { TrailCheck } from '../../../../../trail/checks/check-store.ts';
import { badge, count, definitions, time } from '../../pieces.ts';
import type { PortalCall } from '../../portal-page.ts';
import { isTextKey, type TextKey } from '../../texts.ts';

/** Shows the state of the audit trail: whether it is whole, and how far the systems are that it is sent to. */
export function trailPart({ say, language }: PortalCall, { entries, end, lastNote, lastCheck, targets }: AuditView) {
	const number = (value: number) => count(value, language);
	const broken = (entry: number, code: NonNullable<TrailCheck['reason']>) => {
		const key: TextKey = `installation.audit.breaks.${code}`;
		// The code stays beside the words, because the command line names it. It stands alone if an earlier version has stored it.
		const reason = isTextKey(key) ? `${say(key)} (${code})` : code;
		return badge('bad', say('installation.audit.broken', { entry: number(entry), reason }));
	};
	const checked = (check: TrailCheck | undefined): HtmlValue => {
		if (!check) return badge('busy', say('installation.audit.never'));
		const whole = () => badge('good', say('installation.audit.whole', { entries: number(check.entries) }));
		const verdict = check.reason === null ? whole() : broken(check.broken_at ?? 0, check.reason);
		return html`${time(check.at, language)} ${verdict}`;
	};
	const { verdict } = end;
	const fits = verdict.isWhole
		? badge('good', say('installation.audit.fit'))
		: broken(verdict.brokenAt, verdict.reason);
	return definitions([
		[say('installation.audit.entries'), number(entries)],
		[say('installation.audit.end', { count: end.count }), fits],
		[say('installation.audit.verified'), checked(lastCheck)],
		[
			say('installation.audit.lastNote'),
			lastNote ? html`${number(lastNote.entry)}, ${time(lastNote.atMs, language)}` : '–',
		],
		...targets.map(
			({ kind, behind }) => [kind, say('installation.audit.behind', { entries: number(behind) })] as const,
		),
	]);
}
