// Several files may have one name (shapes §10): with the clients that people use, whoever takes a file by its name takes
// the right one.

import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { checkAtRest, settledJobs } from '../helpers/daemon-checks.ts';
import { clients, type FileClient, lftpRun, opensshSftp } from '../helpers/daemon-clients.ts';
import { answer, openSession } from '../helpers/daemon-session.ts';
import { findMissing } from '../helpers/programs.ts';
import { type ScenarioDaemon, shareDaemon } from '../helpers/scenario-daemon.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const sshTest = testNeeding('OpenSSH (openssh-client)');

const daemons = { sqlite: shareDaemon(), postgres: shareDaemon({ dialect: 'postgres' }) };
const { sqlite } = daemons;

const HEADER = 'CardNumber,ExpirationDate,NameOnCard\n';
const good = (holder: string) => `${HEADER}4111111111111111,12/29,${holder}\n`;
/** A file whose last quote is missing. */
const CUT = `${HEADER}4111111111111111,12/29,"DUPONT, MARIE\n`;
const FOLDER = '/tokenize/SIMPLECSV';
const RESULTS = '/tokenized/SIMPLECSV';
const REPORTS = '/reports/SIMPLECSV';

/** Returns the steps that a test takes with a client at one of the daemons. */
function at(shared: ScenarioDaemon, client: FileClient) {
	const local = join(shared.installation.folder, 'local.csv');
	const jobsOf = async (name: string) =>
		(await settledJobs(await shared.installation.parts())).filter((job) => job.name === name);
	return {
		jobsOf,
		/** Sends a text, waits until its job has ended, and returns the job. */
		async send(text: string, path: string) {
			await writeFile(local, text);
			const outcome = await client.put(shared.door(), local, path);
			if (outcome.code !== 0) throw new Error(`${client.name}: ${outcome.stderr}`);
			return (await jobsOf(path.split('/').at(-1)!)).at(-1)!;
		},
		async fetch(path: string) {
			// The earlier copy is removed first, because lftp overwrites nothing.
			await rm(local, { force: true });
			const outcome = await client.get(shared.door(), path, local);
			if (outcome.code !== 0) throw new Error(`${client.name}: ${outcome.stderr}`);
			return readFile(local, 'utf8');
		},
		/** Returns the names in a folder that begin with `start`. */
		async names(folder: string, start: string) {
			return (await client.names(shared.door(), folder)).filter((name) => name.startsWith(start)).sort();
		},
	};
}

const week = test.macro({
	async exec(t, dialect: keyof typeof daemons, client: FileClient) {
		const { send, fetch, names } = at(daemons[dialect], client);
		const stem = client.name.replaceAll(/\W/g, '');
		const name = `${stem}.csv`;

		const monday = await send(good('MONDAY'), `${FOLDER}/${name}`);
		t.deepEqual(await names(RESULTS, stem), [name]);
		const tuesday = await send(CUT, `${FOLDER}/${name}`);
		t.is(tuesday.state, 'failed');
		const ofMonday = `${stem}.${monday.id}.csv`;
		t.deepEqual(await names(RESULTS, stem), [ofMonday]);
		t.regex(await fetch(`${RESULTS}/${ofMonday}`), /MONDAY/);
		t.deepEqual(await names(FOLDER, stem), [`${name}.failed`]);
		t.like(JSON.parse(await fetch(`${REPORTS}/${name}.json`)), { id: tuesday.id, state: 'failed' });

		const corrected = await send(good('"TUESDAY, CORRECTED"'), `${FOLDER}/${name}`);
		t.is(corrected.state, 'done');
		t.deepEqual(await names(RESULTS, stem), [ofMonday, name].sort());
		t.regex(await fetch(`${RESULTS}/${name}`), /[0-9a-f]{32},12\/29,"TUESDAY, CORRECTED"/);
		t.like(JSON.parse(await fetch(`${REPORTS}/${name}.json`)), { id: corrected.id, state: 'done' });
		t.deepEqual(
			await names(REPORTS, stem),
			[...[monday, tuesday, corrected].map(({ id }) => `${name}.${id}.json`), `${name}.json`].sort(),
		);
		t.deepEqual(await names(FOLDER, stem), [`${name}.failed`]);

		await send(CUT, `${FOLDER}/${name}`);
		t.deepEqual(await names(FOLDER, stem), [`${name}.${tuesday.id}.failed`, `${name}.failed`].sort());
	},
	title: (_, dialect: string, client: FileClient) =>
		`${dialect}, ${client.name}: Tuesday's file that failed does not pass off Monday's result as its own, and a corrected one finds room`,
});
for (const client of Object.values(clients)) testNeeding(...client.needs).serial(week, 'sqlite', client);
for (const client of [clients.openssh, clients.scp, clients.rclone])
	testNeeding(...client.needs).serial(week, 'postgres', client);

for (const dialect of ['sqlite', 'postgres'] as const) {
	sshTest.serial(`${dialect}: files of one name sent right after each other give a result each`, async (t) => {
		const shared = daemons[dialect];
		const { jobsOf, fetch } = at(shared, clients.openssh);
		const local = join(shared.installation.folder, 'twice.csv');
		for (const [client, holder] of [
			[clients.scp, 'ONE'],
			[clients.scp, 'TWO'],
			[clients.sftpPut, 'THREE'],
		] as const) {
			await writeFile(local, good(holder));
			t.is((await client.put(shared.door(), local, `${FOLDER}/twice.csv`)).code, 0);
		}
		const [one, two] = await jobsOf('twice.csv');
		t.regex(await fetch(`${RESULTS}/twice.${one.id}.csv`), /ONE/);
		t.regex(await fetch(`${RESULTS}/twice.${two.id}.csv`), /TWO/);
		t.regex(await fetch(`${RESULTS}/twice.csv`), /THREE/);
	});

	sshTest.serial(`${dialect}: a failed job that is tried again does not displace what came later`, async (t) => {
		const shared = daemons[dialect];
		const { send, jobsOf, fetch, names } = at(shared, clients.openssh);
		const bytes = 'Zahlungsmittel;Bis\r\n4111 1111 1111 1111;12/29\r\n';
		const first = await send(bytes, '/tokenize/CSV/retried.csv');
		t.is(first.state, 'failed');
		const options = join(shared.installation.folder, 'options.json');
		const columns = { cardNumber: { name: 'Zahlungsmittel' }, expiry: { name: 'Bis' } };
		await writeFile(options, JSON.stringify({ delimiter: ';', columns }));
		const scope = ['--user-id', shared.installation.demo.userId, '--filter', 'CSV'];
		await shared.installation.json('format-options', 'put', ...scope, '--file', options);
		const second = await send(bytes.replace('12/29', '11/29'), '/tokenize/CSV/retried.csv');
		t.is(second.state, 'done');
		await shared.installation.json('job', 'retry', first.id);
		t.deepEqual(
			(await jobsOf('retried.csv')).map(({ state }) => state),
			['done', 'done'],
		);
		t.regex(await fetch('/tokenized/CSV/retried.csv'), /;11\/29/);
		t.regex(await fetch(`/tokenized/CSV/retried.${first.id}.csv`), /;12\/29/);
		t.like(JSON.parse(await fetch('/reports/CSV/retried.csv.json')), { id: second.id });
		t.deepEqual(await names('/tokenize/CSV', 'retried'), []);
	});
}

sshTest.serial(
	'scp of a shorter file over an upload that broke off sends that file and nothing of the other',
	async (t) => {
		const { fetch, send } = at(sqlite, clients.scp);
		const session = await openSession(t, sqlite.installation, sqlite.daemon);
		const handle = await answer<Buffer>((done) => session.sftp.open(`${FOLDER}/broken.csv`, 'w', done));
		const longer = Buffer.from(good('SHORT') + good('THE OTHER FILE').repeat(2000));
		await answer<void>((done) => session.sftp.write(handle, longer, 0, longer.length, 0, done));
		session.end();
		const job = await send(good('SHORT'), `${FOLDER}/broken.csv`);
		t.is(job.bytes_total, good('SHORT').length);
		t.regex(await fetch(`${RESULTS}/broken.csv`), /^[^\n]+\n[^\n]+,SHORT\n$/);
	},
);

sshTest.serial('resuming goes on with what broke off and never with what was accepted', async (t) => {
	const { send, jobsOf, fetch } = at(sqlite, clients.openssh);
	const { folder } = sqlite.installation;
	const [cut, corrected] = [join(folder, 'cut.csv'), join(folder, 'corrected.csv')];
	await writeFile(cut, CUT);
	await writeFile(corrected, good('A NAME THAT MAKES THE FILE LONGER'));
	// Within the session, sftp is still told the size that was received, so it sends only what it takes for the rest.
	const resumed = await opensshSftp(sqlite.door(), [
		`put ${cut} ${FOLDER}/resumed.csv`,
		`-put -a ${corrected} ${FOLDER}/resumed.csv`,
		`put ${corrected} ${FOLDER}/resumed.csv`,
	]);
	t.is(resumed.code, 0);
	t.regex(resumed.stderr, /dest open .*denied/i);
	t.deepEqual(
		(await jobsOf('resumed.csv')).map(({ state }) => state),
		['failed', 'done'],
	);
	t.regex(await fetch(`${RESULTS}/resumed.csv`), /THE FILE LONGER/);

	await send(CUT, `${FOLDER}/continued.csv`);
	if (findMissing(clients.lftp.needs).length > 0) return;
	// In a new session, lftp finds nothing to go on with and sends the whole file.
	const continued = await lftpRun(sqlite.door(), `put -c ${corrected} -o ${FOLDER}/continued.csv`);
	t.is(continued.code, 0, continued.stderr);
	t.is((await jobsOf('continued.csv')).at(-1)?.state, 'done');
	t.regex(await fetch(`${RESULTS}/continued.csv`), /THE FILE LONGER/);
});

sshTest.serial('reports are fetched and removed under both names, a failed file under its own', async (t) => {
	const { send, names, fetch } = at(sqlite, clients.openssh);
	const { id } = await send(CUT, `${FOLDER}/cleared.csv`);
	const outcome = await opensshSftp(sqlite.door(), [
		`rm ${REPORTS}/cleared.csv.${id}.json`,
		`get ${REPORTS}/cleared.csv.json`,
		`rm ${REPORTS}/cleared.csv*`,
		`-get ${FOLDER}/cleared.csv.failed`,
		`rm ${FOLDER}/cleared.csv.failed`,
	]);
	t.is(outcome.code, 0, outcome.stderr);
	t.regex(outcome.stderr, /remote open .*cleared\.csv\.failed.*denied/i);
	t.is(JSON.parse(await readFile(join(sqlite.installation.folder, 'cleared.csv.json'), 'utf8')).id, id);
	for (const folder of [FOLDER, REPORTS]) t.deepEqual(await names(folder, 'cleared'), []);
	await send(good('AGAIN'), `${FOLDER}/cleared.csv`);
	t.like(JSON.parse(await fetch(`${REPORTS}/cleared.csv.json`)), { state: 'done' });
});

const lowerCase = test.macro({
	async exec(t, client: FileClient) {
		const { send, fetch, names } = at(sqlite, client);
		const name = `lower-${client.name.replaceAll(/\W/g, '')}.csv`;
		t.like(await send(good('LOWER'), `/tokenize/simplecsv/${name}`), { filter: 'SIMPLECSV', state: 'done' });
		const tokens = await fetch(`/tokenized/simplecsv/${name}`);
		t.like(await send(tokens, `/detokenize/simplecsv/${name}`), { filter: 'SIMPLECSV', state: 'done' });
		t.is(await fetch(`/detokenized/simplecsv/${name}`), good('LOWER'));
		t.deepEqual(await names('/detokenized/simplecsv', name), [name]);
		t.true((await clients.openssh.names(sqlite.door(), '/tokenize')).includes('SIMPLECSV'), 'listed in one case');
		const { database } = await sqlite.installation.parts();
		const subject = `/detokenized/SIMPLECSV/${name}`;
		t.true((await database.knex('audit').where({ action: 'file.download', subject })).length > 0, 'in the audit trail');
	},
	title: (_, client: FileClient) => `${client.name}: folders in lower case are the same ones, also to the audit trail`,
});
for (const client of Object.values(clients))
	testNeeding(...client.needs, ...clients.openssh.needs).serial(lowerCase, client);

sshTest.serial(
	'over HTTP a filter is found in any case, and a file makes room for a later one in the same way',
	async (t) => {
		const { send, fetch: get, names } = at(sqlite, clients.openssh);
		const headers = {
			'X-service-API-Key': sqlite.installation.demo.apiKey,
			'Content-Type': 'application/octet-stream',
		};
		const call = (path: string, init: RequestInit = {}) => fetch(sqlite.daemon.baseUrl + path, { ...init, headers });
		const { id } = await send(good('OVER SFTP'), `${FOLDER}/both.csv`);
		const query = 'filter=simplecsv&async=true&name=both.csv';
		const answered = await call(`/api/files/tokenize?${query}`, { method: 'POST', body: good('OVER HTTP') });
		t.like(await answered.json(), { filter: 'SIMPLECSV', name: 'both.csv' });
		await settledJobs(await sqlite.installation.parts());
		t.regex(await get(`${RESULTS}/both.csv`), /OVER HTTP/);
		t.deepEqual(await names(RESULTS, 'both'), ['both.csv', `both.${id}.csv`].sort());
		const output = await call(`/api/jobs/${id}/output`);
		t.regex(output.headers.get('content-disposition') ?? '', new RegExp(`both\\.${id}\\.csv`));
		t.regex(await output.text(), /OVER SFTP/);
		t.like(await (await call(`/api/jobs/${id}/report`)).json(), { id });
	},
);

test.serial('after all of it nothing is lost, and every row has its bytes', async (t) => {
	t.is((await checkAtRest(t, await daemons.postgres.installation.parts())).orphansRemoved, 0);
	for (const { installation, daemon } of Object.values(daemons)) {
		t.true((await installation.json('audit', 'verify')).entries > 0);
		t.is(await daemon.stop(), 0, daemon.log());
	}
});
