// What ends by itself, what operators have to do again and again, and who has fallen silent: doctor, the portal, the
// metrics and the alerts follow one rule each.

import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { loadSettings } from '../../src/base/settings/settings.ts';
import { upkeepChecks } from '../../src/installation/doctor/doctor-upkeep.ts';
import { readDuties } from '../../src/installation/upkeep/backup-age.ts';
import { listExpiring } from '../../src/installation/upkeep/expiry.ts';
import { upkeepStore } from '../../src/installation/upkeep/upkeep-store.ts';
import type { Finding } from '../../src/people/operators/finding.ts';
import { openProfiles } from '../../src/work/relay/profiles/profiles.ts';
import { pauseOf } from '../../src/work/statistics/silence.ts';
import { certificateFor } from '../helpers/certificate-for.ts';
import { databases } from '../helpers/database.ts';
import { createAccount, openIdentityParts } from '../helpers/identity-parts.ts';
import { MINIMAL } from '../helpers/profile-problems.ts';
import { openCommandRunner } from '../helpers/run-command.ts';

const DAY_MS = 86_400_000;

function folderOf(t: ExecutionContext<unknown>): string {
	const folder = mkdtempSync(join(tmpdir(), 'tokendrop-upkeep-'));
	t.teardown(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

for (const dialect of databases) {
	test(`${dialect}: certificates, keys and host keys are announced before they end, each by its rule`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const folder = folderOf(t);
		const { clock, identity } = parts;
		const nowMs = () => clock.now().getTime();
		const file = join(folder, 'tls.pem');
		// The second certificate of the chain ends first.
		writeFileSync(file, (await certificateFor(clock, 200)).pem + (await certificateFor(clock, 40)).pem);
		mkdirSync(join(folder, 'host-keys'));
		const hostKey = join(folder, 'host-keys', 'ssh_host_rsa_key');
		writeFileSync(hostKey, 'key');
		utimesSync(hostKey, nowMs() / 1000, nowMs() / 1000 - 2 * 365 * 86_400);
		const env = { TOKENDROP_DATA_DIR: folder, TOKENDROP_HTTP_TLS_CERT_FILE: file, TOKENDROP_HTTP_TLS_KEY_FILE: file };
		const settings = loadSettings({ env });
		const { account } = await createAccount(parts, 'agency');
		await identity.apiKeys.create(account, 'operator test', undefined, { expiresAt: new Date(nowMs() + 20 * DAY_MS) });
		await identity.certificates.current();
		const { pem: certificate, key } = await certificateFor(clock, 35);
		const profile = {
			...MINIMAL,
			hosts: ['bank.example'],
			clientCertificate: { certificate, key },
			authorities: certificate,
		};
		const profiles = openProfiles({ ...parts, environment: 'sandbox', presets: new Map() });
		await profiles.put(account.id, JSON.stringify(profile));
		const ends = async () =>
			(await listExpiring(parts, settings, nowMs()))
				.filter(({ kind, term }) => kind !== 'key' && term !== 'running')
				.map(({ kind, name, term }) => [kind, name.replace(/ \d+ \(….+\)/, ''), term].join(' '));
		const findings = async () => {
			const [check] = upkeepChecks(parts, settings, () => clock.now()).filter(({ name }) => name === 'expiry');
			return [await check.look()].flat() as Finding[];
		};
		const of = (term: string) =>
			['client-certificate', 'authority'].map((kind) => `${kind} agency: profile Minimal ${term}`);
		t.deepEqual(await ends(), []);
		t.regex((await findings())[0].says, /^nothing ends soon, of \d+ certificates and keys$/);
		parts.turn(11 * DAY_MS);
		t.deepEqual(await ends(), [...['api-key agency: API key soon'], ...of('soon'), 'tls http.tlsCertFile soon']);
		t.regex(
			(await findings())[0].says,
			/^api-key of agency: API key \d+ \(….{4}\) ends on \d{4}-\d\d-\d\d, in 9 days$/,
		);
		parts.turn(30 * DAY_MS);
		t.deepEqual(await ends(), [...['api-key agency: API key over'], ...of('over'), 'tls http.tlsCertFile over']);
		t.like((await findings())[3], { part: 'expiry', state: 'problem' });
		t.regex((await findings())[3].todo!, /without a restart/);
		t.like((await findings())[1], { state: 'warning', part: 'expiry' });
		parts.turn(30 * DAY_MS);
		t.deepEqual(
			await ends(),
			[...of('over'), 'tls http.tlsCertFile over'],
			'a key that ended long ago is nobody’s concern',
		);
		await profiles.remove(account.id, 'Minimal');
		parts.turn(285 * DAY_MS);
		t.deepEqual(await ends(), ['tls http.tlsCertFile over', 'host-key ssh_host_rsa_key soon']);
		const keys = (await listExpiring(parts, settings, nowMs())).filter(({ kind }) => kind === 'key');
		t.true(keys.length > 3 && keys.every(({ term }) => term === 'soon'));
		t.false(
			(await findings()).some(({ says }) => says.startsWith('key of')),
			'they are replaced by themselves',
		);
		parts.turn(60 * DAY_MS);
		const overdue = (await findings()).find(({ says }) => says.startsWith('key of'));
		t.like(overdue, { state: 'warning' });
		t.regex(overdue!.todo!, /key-periods/);
	});

	test(`${dialect}: a backup or its verification that is too old is a warning, as the settings say`, async (t) => {
		const { database } = await openIdentityParts(t, dialect);
		const store = upkeepStore(database.knex);
		const settings = loadSettings({ env: {} });
		const begun = (await store.findInstallation())!.createdAt;
		const overdue = async (now: number, more: object = {}) =>
			(await readDuties(database, { ...settings, ...more }, now)).map(({ overdueDays }) => overdueDays);
		t.deepEqual(await overdue(begun + 400 * DAY_MS), [undefined, undefined], 'a sandbox needs none');
		const production = { environment: 'production' } as const;
		t.deepEqual(await overdue(begun + DAY_MS, production), [undefined, undefined]);
		t.deepEqual(await overdue(begun + 5 * DAY_MS, production), [3, undefined]);
		await store.note('backup', begun + 4 * DAY_MS);
		t.deepEqual(await overdue(begun + 5 * DAY_MS, production), [undefined, undefined]);
		t.deepEqual(await overdue(begun + 104 * DAY_MS, production), [98, 4]);
		await store.note('backup-check', begun + 103 * DAY_MS);
		t.deepEqual(await overdue(begun + 104 * DAY_MS, production), [98, undefined]);
		t.deepEqual(await overdue(begun + 104 * DAY_MS), [98, undefined], 'one that was begun goes on in a sandbox too');
		const never = { backup: { warnDays: 0, checkWarnDays: 0 } };
		t.deepEqual(await overdue(begun + 900 * DAY_MS, { ...production, ...never }), [undefined, undefined]);
	});

	test(`${dialect}: an account that usually sends is missed, and one that never did is not`, async (t) => {
		const parts = await openIdentityParts(t, dialect);
		const { database, clock } = parts;
		const { account: busy } = await createAccount(parts, 'busy');
		const { account: quiet } = await createAccount(parts, 'quiet');
		const today = Math.floor(clock.now().getTime() / DAY_MS);
		const sent = (accountId: number, daysAgo: number, what = 'file/tokenize/GBT') =>
			database
				.knex('statistics')
				.insert({ span: 1, at: (today - daysAgo) * DAY_MS, account_id: accountId, what, count: 1 });
		// It sends from Monday to Friday, and has paused for two days each weekend.
		for (const day of [18, 17, 16, 15, 14, 11, 10, 9, 8, 7]) await sent(busy.id, day);
		for (const day of [18, 4]) await sent(quiet.id, day);
		await sent(busy.id, 1, 'call/0');
		const [check] = upkeepChecks(parts, loadSettings({ env: {} }), () => clock.now()).filter(
			({ name }) => name === 'silence',
		);
		const found = [await check.look()].flat() as Finding[];
		t.deepEqual(
			found.map(({ state, says }) => [state, says]),
			[['warning', 'busy has sent no file for 6 days, and never paused longer than 2 before']],
		);
		await sent(busy.id, 0);
		t.like(await check.look(), { state: 'ok' });
	});
}

test('a pause is a silence if it is two days or more and longer than any before', (t) => {
	const weekdays = [1, 2, 3, 4, 5, 8, 9, 10, 11, 12];
	t.is(pauseOf(weekdays, 15), undefined, 'a weekend as any other');
	t.deepEqual(pauseOf(weekdays, 16), { days: 3, usual: 2 });
	t.is(pauseOf([1, 2, 3, 4, 5, 6], 8), undefined, 'one day is no silence');
	t.deepEqual(pauseOf([1, 2, 3, 4, 5, 6], 9), { days: 2, usual: 0 });
	t.is(pauseOf([1, 2, 3, 4, 5], 30), undefined, 'five days are no habit');
	t.is(pauseOf([], 30), undefined);
});

test('backup create and verify are noted, and doctor says when they were', async (t) => {
	const run = openCommandRunner(t);
	const folder = join(folderOf(t), 'backup');
	await run('account', 'create', '--user-id', 'agency');
	const backup = async () =>
		(await run('doctor')).json.findings
			.filter(({ part }: Finding) => part === 'backup')
			.map(({ state, says }: Finding) => `${state}: ${says.replace(/ on \S+Z/, '')}`);
	t.deepEqual(await backup(), ['ok: none was ever made', 'ok: none was ever verified']);
	t.is((await run('backup', 'create', folder)).code, 0);
	t.is((await run('backup', 'verify', folder)).code, 0);
	t.deepEqual(await backup(), ['ok: last made, 0 days ago', 'ok: last verified, 0 days ago']);
	const elsewhere = openCommandRunner(t, {}, { isReady: false });
	const seen = await elsewhere.text('backup', 'verify', folder);
	t.is(seen.code, 0);
	t.regex(seen.stderr, /No installation is here that could note this verification/);
});
