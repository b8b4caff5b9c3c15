// Runs the recipes of docs/routes.md as they stand there, between real servers.

import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { parse } from 'yaml';
import { bucketPartner } from '../helpers/bucket-partner.ts';
import { startFtpsPartner } from '../helpers/ftps-partner.ts';
import {
	namesIn,
	openPartners,
	openRouteParts,
	type RouteParts,
	textOf,
	WHOSE,
	writeOld,
} from '../helpers/route-parts.ts';
import { openS3Server } from '../helpers/s3-server.ts';
import { startPartner } from '../helpers/sftp-partner.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const page = readFileSync(new URL('../../docs/routes.md', import.meta.url), 'utf8');
const recipes = page.slice(page.indexOf('\n## Recipes'));
const CSV = readFileSync(new URL('../../fixtures/GBT/01-header-detail-trailer/input.csv', import.meta.url));

/** Returns a recipe of the page by the name of its route. */
function recipe(name: string): { readonly text: string; readonly document: Record<string, never> } {
	const texts = [...recipes.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text]) => text);
	const text = texts.find((each) => new RegExp(`^name: ${name}(\\s|$)`).test(each))!;
	return { text, document: parse(text) };
}

/** Returns the folder that `in/{date:…}` stands for today, in the time zone of the route. */
function today(timeZone: string, letters: number): string {
	return new Intl.DateTimeFormat('sv-SE', { timeZone }).format(new Date()).slice(0, letters);
}

/** What a client brings becomes a file with tokens in the folder of the account. */
async function bringTokens(t: ExecutionContext, { folder, put, runNow }: RouteParts): Promise<void> {
	mkdirSync(join(folder, 'clients'));
	writeOld(join(folder, 'clients'), 'may.csv');
	const from = { folder, path: 'clients' };
	await put(from, { operation: 'tokenize', filter: 'SIMPLECSV' }, { drop: '/tokenized/SIMPLECSV' });
	t.is((await runNow()).state, 'done');
}

test('statements that must be there by six are collected, delivered with a checksum, and moved at their source', async (t) => {
	const { out, into, folder, route } = await openPartners(t);
	// The partner of the recipe shows the folder `outbox`, which is `out` here.
	const { text, document } = recipe('nightly-visa');
	const file = join(folder, 'route.yaml');
	writeFileSync(
		file,
		text.replace('path: outbox', 'path: out').replace(/from: \{/, "from: { ready: { unchanged: '0s' },"),
	);
	writeOld(out, 'may.csv', CSV);
	const stored = await route('put', '--file', file);
	t.is(stored.code, 0, stored.stderr);
	t.like(stored.json, { timeZone: 'Europe/Berlin', state: 'waiting' });
	t.deepEqual(document.expect, { files: 1, by: '06:00', days: '1-5', timeZone: 'Europe/Berlin' });
	const ran = await route('run', '--name', 'nightly-visa', '--wait');
	t.is(ran.json?.state, 'done', ran.stdout + ran.stderr);
	const day = today('Europe/Berlin', 10);
	const delivered = join(into, day);
	t.deepEqual(namesIn(delivered), ['may.csv', 'may.csv.done']);
	const bytes = readFileSync(join(delivered, 'may.csv'));
	t.false(bytes.equals(CSV), 'it has tokens');
	t.is(textOf(delivered, 'may.csv.done'), `${createHash('sha256').update(bytes).digest('hex')}  may.csv\n`);
	t.deepEqual(namesIn(out), ['done']);
	t.deepEqual(namesIn(join(out, 'done', day.slice(0, 7))), ['may.csv']);
});

test('one folder fans out to three partners, each with a ledger of its own', async (t) => {
	const parts = await openRouteParts(t);
	const { folder, route } = parts;
	const { text } = recipe('fan-one');
	const partners: Record<string, string> = {};
	for (const name of ['one', 'two', 'three']) {
		const partner = await startPartner(t);
		mkdirSync(join(partner.folder, 'in'));
		await parts.addDestination(name, partner);
		partners[name] = join(partner.folder, 'in');
		const file = join(folder, `${name}.yaml`);
		writeFileSync(file, text.replace('fan-one', `fan-${name}`).replace('destination: one', `destination: ${name}`));
		const stored = await route('put', '--file', file);
		t.is(stored.code, 0, stored.stderr);
	}
	await bringTokens(t, parts);
	for (const name of ['one', 'two', 'three']) {
		const ran = await route('run', '--name', `fan-${name}`, '--wait');
		t.like(ran.json, { state: 'done', files: [{ path: 'may.csv', state: 'delivered' }] }, ran.stderr);
		t.regex(textOf(partners[name], 'may.csv'), /\n[0-9a-f]{32},/);
		t.deepEqual((await route('run', '--name', `fan-${name}`, '--wait')).json.files, [], 'it goes once');
	}
});

test('what a partner puts into a bucket is collected when it is ready, and comes back there with tokens', async (t) => {
	const { folder, run, route } = await openRouteParts(t);
	const partner = bucketPartner((await openS3Server(t, 'acme/')).place);
	const [, text] = /^```yaml\n(name: feeds\nkind: s3\n.*?)^```$/ms.exec(page)!;
	const { endpoint, bucket, accessKeyId } = partner.place;
	const files = partner.destinationFiles(folder, 'feeds', {
		...parse(text),
		endpoint,
		bucket,
		accessKeyId,
		region: 'eu-test-1',
	});
	const saved = await run('destination', 'put', ...WHOSE, ...files);
	t.is(saved.code, 0, saved.stderr);
	const file = join(folder, 'route.yaml');
	writeFileSync(file, recipe('from-bucket').text.replace('ready: {', "ready: { unchanged: '0s',"));
	t.is((await route('put', '--file', file)).code, 0);
	for (const name of ['may.csv', 'may.csv.ready', 'june.csv']) await partner.put(`out/${name}`, CSV);
	const ran = await route('run', '--name', 'from-bucket', '--wait');
	t.is(ran.json?.files.length, 2, ran.stdout + ran.stderr);
	const done = `out/done/${today('UTC', 4)}/may.csv`;
	t.deepEqual(await partner.names(), ['in/may.csv', 'in/may.csv.ok', done, 'out/june.csv'].sort());
	t.regex(await partner.text('in/may.csv.ok'), /^[0-9a-f]{64} {2}may\.csv\n$/);
});

testNeeding('vsftpd, started by root, with openssl')(
	'a partner that only takes FTPS gets what is in a folder',
	async (t) => {
		const parts = await openRouteParts(t);
		const { folder, route, run } = parts;
		const partner = await startFtpsPartner(t);
		const [, destination] = /^```yaml\n(name: bank\nkind: ftps\n.*?)^```$/ms.exec(page)!;
		const { port, userName, certificate, password } = partner;
		const document = {
			...parse(destination),
			host: '127.0.0.1',
			port,
			userName,
			folder: 'files',
			certificates: [certificate],
		};
		writeFileSync(join(folder, 'bank.json'), JSON.stringify(document));
		writeFileSync(join(folder, 'password'), password);
		const files = ['--file', join(folder, 'bank.json'), '--password-file', join(folder, 'password')];
		const saved = await run('destination', 'put', ...WHOSE, ...files);
		t.is(saved.code, 0, saved.stderr);
		writeFileSync(join(folder, 'route.yaml'), recipe('to-ftps').text);
		const stored = await route('put', '--file', join(folder, 'route.yaml'));
		t.is(stored.code, 0, stored.stderr);
		await bringTokens(t, parts);
		const ran = await route('run', '--name', 'to-ftps', '--wait');
		t.is(ran.json?.state, 'done', ran.stdout + ran.stderr);
		t.deepEqual(namesIn(join(partner.folder, 'in', today('UTC', 4))), ['may.csv', 'may.csv.ok']);
	},
);
