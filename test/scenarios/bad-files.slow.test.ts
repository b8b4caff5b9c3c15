// If a file cannot be processed, a report says why and where, nothing comes out, and the input waits for a retry.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type Installation, type RunningDaemon, startInstallation } from '../helpers/daemon.ts';
import { checkAtRest, settledJobs } from '../helpers/daemon-checks.ts';
import { openSession, type Session } from '../helpers/daemon-session.ts';
import { fixtureCases } from '../helpers/fixture-cases.ts';

const releases: (() => unknown)[] = [];
const shared = { teardown: (release: () => unknown) => releases.push(release) };
let installation: Installation;
let daemon: RunningDaemon;
let session: Session;

test.before(async () => {
	({ installation, daemon } = await startInstallation(shared));
	session = await openSession(shared, installation, daemon);
});

test.after.always(async () => {
	for (const release of releases.reverse()) await release();
});

async function reportOf(filter: string, name: string) {
	const parts = await installation.parts();
	const job = (await settledJobs(parts)).findLast((each) => each.filter === filter && each.name === name)!;
	const report = await session.get(`/reports/${filter}/${name}.${job.id}.json`);
	return JSON.parse(report.toString());
}

async function setOptions(filter: string, options: object) {
	const file = join(installation.folder, `options-${filter}.json`);
	await writeFile(file, JSON.stringify(options));
	return installation.json(
		...['format-options', 'put', '--user-id', installation.demo.userId],
		...['--filter', filter, '--file', file],
	);
}

async function checkFailed(
	t: ExecutionContext,
	place: { readonly filter: string; readonly name: string },
	expected: { readonly reason: string; readonly message: RegExp; readonly at?: object },
) {
	const { filter, name } = place;
	const report = await reportOf(filter, name);
	t.is(report.state, 'failed');
	t.is(report.counts, null);
	t.deepEqual(report.entries, []);
	t.is(report.error.reason, expected.reason);
	t.regex(report.error.message, expected.message);
	if (expected.at) t.like(report.error.at, expected.at);
	t.notRegex(JSON.stringify(report), /\d{13,}/, 'no content in a report');
	t.false((await session.names(`/tokenized/${filter}`)).includes(name), 'no output');
	t.true((await session.names(`/tokenize/${filter}`)).includes(`${name}.failed`), 'the input is kept');
	t.deepEqual(JSON.parse((await session.get(`/reports/${filter}/${name}.json`)).toString()), report);
	const shown = await installation.json('job', 'show', report.id, '--report');
	t.deepEqual(shown.report, report);
	t.like(shown, { state: 'failed', filter, name, error: report.error });
	const failed = await installation.json('job', 'list', '--state', 'failed');
	t.true(failed.some(({ id }: { id: string }) => id === report.id));
	return report;
}

const refuses = test.macro({
	async exec(t, filter: string, name: string, bytes: Buffer, message: RegExp, at?: object) {
		await session.put(`/tokenize/${filter}/${name}`, bytes);
		await checkFailed(t, { filter, name }, { reason: 'file-malformed', message, at });
	},
	title: (title, filter) => `${title} in ${filter}: a report with reason and position, no output, the input is kept`,
});

const fixture = (filter: string, name: string) => fixtureCases(filter).find((each) => each.name === name)!.bytes;
const header = 'CardNumber,ExpirationDate\n';
const longRecord = Buffer.from(`${header}4111111111111111,12/29\n"${'x'.repeat(3_000_000)}",12/29\n`);

test.serial('an IUR file', refuses, 'AIR', 'wrong.air', fixture('IUR', '01-invoice-card-crlf'), /AIR-BLK/, {
	offset: 0,
});
test.serial('a GBT file', refuses, 'SIMPLEJSON', 'wrong.json', fixture('GBT', '02-one-number'), /JSON/);
test.serial('a cut file', refuses, 'AIR', 'cut.air', fixture('AIR', '38-cut-in-endx'), /END or ENDX is missing/, {
	offset: 405,
});
test.serial('a cut document', refuses, 'TADC', 'cut.xml', fixture('TADC', '22-cut-in-a-number'), /not closed/, {
	offset: 41,
});
test.serial('too large a record', refuses, 'SIMPLECSV', 'large.csv', longRecord, /longer than 1048576 bytes/, {
	offset: 49,
});
test.serial('UTF-16', refuses, 'SIMPLECSV', 'utf16.csv', fixture('SIMPLECSV', '09-utf16le-bom'), /UTF-16/, {
	offset: 0,
});
test.serial('a DOCTYPE', refuses, 'TADC', 'doctype.xml', fixture('TADC', '20-doctype'), /DOCTYPE/, { offset: 22 });
test.serial('EBCDIC', refuses, 'IUR', 'ebcdic.iur', fixture('IUR', '44-ebcdic'), /EBCDIC/, { offset: 0 });

test.serial(
	'a failed job is retried: the same report again while nothing has changed, done once options fit',
	async (t) => {
		const place = { filter: 'CSV', name: 'mapped.csv' };
		const bytes = Buffer.from('Id;Zahlungsmittel der Firma;Bis\r\n1;4111 1111 1111 1111;12/29\r\n');
		await session.put('/tokenize/CSV/mapped.csv', bytes);
		const expected = { reason: 'file-malformed', message: /no column is named as a card number/ };
		const first = await checkFailed(t, place, expected);

		await installation.json('job', 'retry', first.id);
		t.is((await checkFailed(t, place, expected)).id, first.id);

		await setOptions('CSV', {
			delimiter: ';',
			columns: { cardNumber: { name: 'Zahlungsmittel der Firma' }, expiry: { name: 'Bis' } },
		});
		const retried = await installation.program('job', 'retry', first.id);
		t.deepEqual(JSON.parse(retried.stdout), { id: first.id, state: 'queued' });
		const output = await session.arrival('/tokenized/CSV/mapped.csv');
		t.regex(output.toString(), /^Id;Zahlungsmittel der Firma;Bis\r\n1;[0-9a-f]{32};12\/29\r\n$/i);
		t.like(await installation.json('job', 'show', first.id), { state: 'done', cards: 1, error: null });
		t.deepEqual(await session.names('/tokenize/CSV'), []);

		const { code, stderr } = await installation.command('job', 'retry', first.id);
		t.is(code, 1);
		t.regex(JSON.parse(stderr).error.message, /only a failed one is retried/);
	},
);

test.serial(
	'onRefused decides over cards that cannot be tokenized: they stay, are masked, or the file is rejected',
	async (t) => {
		const bytes = Buffer.from(`${header}4111111111111112,12/29\n4242424242424242,12/29\n`);
		await session.put('/tokenize/SIMPLECSV/pass.csv', bytes);
		const passed = await session.arrival('/tokenized/SIMPLECSV/pass.csv');
		t.regex(passed.toString(), /\n4111111111111112,12\/29\n[0-9a-f]{32},/i);
		const report = await reportOf('SIMPLECSV', 'pass.csv');
		t.like(report, { state: 'done', cards: 1, refused: 1 });
		t.like(report.entries[0], { line: 2, offset: header.length, outcome: 'refused', lastFour: '1112' });

		await setOptions('SIMPLECSV', { onRefused: 'mask' });
		await session.put('/tokenize/SIMPLECSV/mask.csv', bytes);
		const masked = (await session.arrival('/tokenized/SIMPLECSV/mask.csv')).toString();
		t.regex(masked, /\n[^\n]*\*{6,}[^\n]*1112,12\/29\n[0-9a-f]{32},/i);
		t.false(masked.includes('4111111111111112'));

		await setOptions('SIMPLECSV', { onRefused: 'reject' });
		await session.put('/tokenize/SIMPLECSV/reject.csv', bytes);
		const rejected = await reportOf('SIMPLECSV', 'reject.csv');
		t.is(rejected.state, 'failed');
		t.like(rejected.error.at, { offset: header.length });
		t.false((await session.names('/tokenized/SIMPLECSV')).includes('reject.csv'));
		await installation.json('format-options', 'remove', '--user-id', installation.demo.userId, '--filter', 'SIMPLECSV');
	},
);

test.serial('options that do not fit are refused when they are set, by the name of what is wrong', async (t) => {
	const file = join(installation.folder, 'bad.json');
	await writeFile(file, JSON.stringify({ onRefused: 'explode', columns: 7, unheardOf: true }));
	const { code, stderr } = await installation.command(
		...['format-options', 'put', '--user-id', installation.demo.userId, '--filter', 'CSV', '--file', file],
	);
	t.is(code, 1);
	const { message } = JSON.parse(stderr).error;
	for (const name of ['onRefused', 'columns', 'unheardOf']) t.true(message.includes(name), message);
});

test.serial('failed files leave nothing behind: no page, no blob without a row', async (t) => {
	const { orphansRemoved } = await checkAtRest(t, await installation.parts());
	t.is(orphansRemoved, 0);
});
