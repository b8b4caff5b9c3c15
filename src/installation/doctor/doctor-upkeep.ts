// Checks what operators have to do from time to time: renew what ends, make backups, ask who has fallen silent.

import type { Database } from '../../base/database/open.ts';
import { why } from '../../base/failures.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import type { Settings } from '../../base/settings/settings.ts';
import type { Identity } from '../../people/identity/identity.ts';
import { type Check, check, type Finding, ok, problem, warning } from '../../people/operators/finding.ts';
import { listSilent } from '../../work/statistics/silence.ts';
import { type DutyAge, readDuties } from '../upkeep/backup-age.ts';
import { type Expiring, type ExpiryKind, listExpiring } from '../upkeep/expiry.ts';

const MOST_SHOWN = 5;
const DAY_MS = 86_400_000;

const REMEDIES = {
	tls: 'put the new certificate in the place of the old one: daemons take it up within seconds, without a restart',
	authority: 'put the new certificates in the place of the old ones; those of a profile with `tokendrop profile put`',
	'client-certificate': 'have the account get a new certificate from its partner, and run `tokendrop profile put`',
	'access-tokens':
		'look into the log of the daemon for `certificate for access tokens`: it renews it by itself 90 days before',
	'api-key': 'ask the account whether it has another key; otherwise `tokendrop api-key create` makes one',
	'pgp-key': 'import or create a new key under the name before it ends: `tokendrop pgp-key import`, `pgp-key create`',
	key: 'the task key-periods replaces keys within the hour; is a daemon at work, and what does its log say?',
	'host-key': 'plan new host keys, and tell clients the new fingerprints before (docs/operations.md, "Keys")',
} as const satisfies Record<ExpiryKind, string>;

/** Without these, callers are cut off when they end. Everything else concerns one account, or is only advice. */
const CUTS_OFF: readonly ExpiryKind[] = ['tls', 'access-tokens'];

export function upkeepChecks(
	parts: {
		database: Database;
		keyRing: KeyRing;
		identity: { readonly accounts: Pick<Identity['accounts'], 'userIdsOf'> };
	},
	settings: Settings,
	now: () => Date,
): Check[] {
	const { database, keyRing, identity } = parts;
	const nowMs = () => now().getTime();
	return [
		check('expiry', async () => {
			return expiryFindings(await listExpiring({ database, keyRing, identity }, settings, nowMs()), nowMs());
		}),
		check('backup', async () =>
			(await readDuties(database, settings, nowMs())).map((age) => backupFinding(age, nowMs())),
		),
		check('silence', async ({ ok, warning }) => {
			const silent = await listSilent(database.knex, nowMs());
			if (silent.length === 0) {
				return ok(why('every account that usually sends files has sent some', 'senders-heard'));
			}
			const users = await identity.accounts.userIdsOf(silent.map(({ accountId }) => accountId));
			const todo =
				'ask whether something is wrong there; `tokendrop login list` and `tokendrop job list` show the last signs';
			return silent.slice(0, MOST_SHOWN).map(({ accountId, days, usual }) => {
				const who = users.get(accountId) ?? `account ${accountId}`;
				const says = `${who} has sent no file for ${days} days, and never paused longer than ${usual} before`;
				return warning(why(says, 'account-silent', { account: who, days, usual }), todo);
			});
		}),
	];
}

function expiryFindings(expiring: readonly Expiring[], now: number): Finding[] {
	// A key of the vault that ends soon is replaced by itself; only one that was not is worth a word.
	const shown = expiring.filter(({ kind, term }) => term === 'over' || (term === 'soon' && kind !== 'key'));
	if (shown.length === 0) {
		const says = `nothing ends soon, of ${expiring.length} certificates and keys`;
		return [ok('expiry', why(says, 'nothing-ends'))];
	}
	return shown.slice(0, MOST_SHOWN).map(({ kind, name, endsAtMs, term }) => {
		const day = new Date(endsAtMs).toISOString().slice(0, 10);
		const days = Math.round(Math.abs(endsAtMs - now) / DAY_MS);
		const says = `${kind} of ${name} ${term === 'over' ? `ended on ${day}, ${days} days ago` : `ends on ${day}, in ${days} days`}`;
		const ends = why(says, term === 'over' ? 'has-ended' : 'ends-soon', { kind, name, day });
		return term === 'over' && CUTS_OFF.includes(kind)
			? problem('expiry', ends, REMEDIES[kind])
			: warning('expiry', ends, REMEDIES[kind]);
	});
}

const DUTIES = {
	backup: {
		done: 'made',
		codes: { never: 'backup-never-made', last: 'backup-made', overdue: 'backup-overdue' },
		todo: 'run `tokendrop backup create FOLDER`, every night at best (docs/backup.md)',
	},
	'backup-check': {
		done: 'verified',
		codes: { never: 'backup-never-verified', last: 'backup-verified', overdue: 'backup-check-overdue' },
		todo: 'run `tokendrop backup verify FOLDER`, and practise to restore it (docs/backup.md)',
	},
} as const;

function backupFinding({ duty, lastMs, overdueDays }: DutyAge, now: number): Finding {
	const { done, codes, todo } = DUTIES[duty];
	const at = lastMs === undefined ? '' : new Date(lastMs).toISOString();
	const days = lastMs === undefined ? 0 : Math.floor((now - lastMs) / DAY_MS);
	const says = lastMs === undefined ? `none was ever ${done}` : `last ${done} on ${at}, ${days} days ago`;
	if (overdueDays !== undefined) return warning('backup', why(says, codes.overdue), todo);
	return ok('backup', lastMs === undefined ? why(says, codes.never) : why(says, codes.last, { at }));
}
