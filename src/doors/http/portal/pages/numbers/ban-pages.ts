// The page with the addresses that are banned, on which operators can lift a ban.

import { transact } from '../../../../../base/database/dialect.ts';
import { defendedAddress } from '../../../../../base/defender/defender.ts';
import { scoreStore } from '../../../../../base/defender/score-store.ts';
import { html } from '../../../../../base/pages/html.ts';
import { covers, ruleOf } from '../../../../../people/operators/roles.ts';
import type { HttpRooms } from '../../../rooms.ts';
import { emptyState, form, table, time } from '../../pieces.ts';
import type { AnyPage, PortalCall } from '../../portal-page.ts';
import { ForbiddenError } from '../../refusals.ts';
import { INSTALLATION, installationPage } from './installation-frame.ts';

const PATH = `${INSTALLATION}/bans` as const;
const MOST_SHOWN = 200;

export function banPages(rooms: HttpRooms): AnyPage[] {
	return [
		{ path: PATH, method: 'GET', right: 'installation.see', handle: (call) => showBans(call, rooms) },
		{ path: PATH, method: 'POST', right: 'installation.change', handle: (call) => lift(call, rooms) },
	];
}

/** Tells whether the viewer may lift bans. Operators need the same role for it as on the command line. */
function mayLift({ viewer }: PortalCall): boolean {
	const role = viewer.operatorRole;
	return viewer.has('installation.change') && role !== undefined && covers(role, ruleOf('ban lift').role);
}

async function showBans(call: PortalCall, { database, clock }: HttpRooms) {
	const { texts, language } = call;
	const words = texts.numbers.installation.bans;
	const bans = (await scoreStore(database.knex).listBans(clock.now().getTime())).slice(0, MOST_SHOWN);
	const isAllowed = mayLift(call);
	const liftForm = (address: string) =>
		form(call, {
			...{ action: PATH, submit: words.lift, tone: 'plain' },
			body: html`<input type="hidden" name="address" value="${address}">`,
		});
	const rows = bans.map(({ address, door, decidedAtMs, untilMs }) => [
		...[address, door, time(decidedAtMs, language), time(untilMs, language)],
		...(isAllowed ? [liftForm(address)] : []),
	]);
	const head = [words.address, words.door, words.since, words.until, ...(isAllowed ? [words.lift] : [])];
	const body = rows.length === 0 ? emptyState(words.none) : table({ caption: words.caption, head, rows });
	return installationPage(call, texts.numbers.installation.pages.bans, body);
}

async function lift(call: PortalCall, { database, clock, audit }: HttpRooms) {
	if (!mayLift(call)) throw new ForbiddenError();
	const { bans: words } = call.texts.numbers.installation;
	const { address = '' } = call.form;
	const lifted = await transact(database, async (transaction) => {
		const doors = await scoreStore(transaction).lift(defendedAddress(address), clock.now().getTime());
		const entry = { actor: call.viewer.actor, action: 'ban.lift', subject: `address ${address}` };
		if (doors.length > 0) await audit.record({ ...entry, details: { doors: doors.join() } }, transaction);
		return doors.length > 0;
	});
	return { redirectTo: PATH, notice: (lifted ? words.lifted : words.gone).replace('{address}', address) };
}
