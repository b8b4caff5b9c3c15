// A daemon that carries out routes is killed at random moments, and every file is delivered once and whole.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { openInstallation } from '../helpers/daemon.ts';
import { makeFolder } from '../helpers/file-parts.ts';
import { namesIn, writeOld } from '../helpers/route-parts.ts';
import { startPartner } from '../helpers/sftp-partner.ts';
import { until } from '../helpers/until.ts';

const ROUNDS = 6;
const FILES_A_ROUND = 8;
const HEAD = 'CardNumber,ExpirationMonth,ExpirationYear,CardType,Reference\n';
const WHOSE = ['--user-id', 'demo'];

/** Starts a daemon with two partners and a route between them that runs every second. */
async function openFeed(t: ExecutionContext, operation: 'none' | 'tokenize', temporaryName?: string) {
	const variables = { TOKENDROP_RELAY_ALLOW_PRIVATE: 'true', TOKENDROP_JOBS_LEASE_SECONDS: '2' };
	const installation = await openInstallation(t, { variables });
	const [visa, bank] = await Promise.all([startPartner(t), startPartner(t)]);
	const [out, into] = [join(visa.folder, 'out'), join(bank.folder, 'in')];
	for (const folder of [out, into]) mkdirSync(folder);
	const file = join(installation.folder, 'document.json');
	const daemon = await installation.start();
	for (const [name, partner] of Object.entries({ visa, bank })) {
		const { port, userName, hostKeys } = partner;
		const document = { name, host: '127.0.0.1', port, userName, hostKeys: [hostKeys.ed25519] };
		writeFileSync(file, JSON.stringify(document));
		await installation.json('destination', 'put', ...WHOSE, '--file', file, '--private-key-file', partner.keyFile);
	}
	const work = operation === 'none' ? { operation } : { operation, filter: 'SIMPLECSV' };
	const route = {
		name: 'feed',
		from: { destination: 'visa', path: 'out', afterwards: 'delete', ready: { unchanged: '0s' } },
		do: work,
		// A second delivery would get a number, and so would be seen.
		to: { destination: 'bank', path: 'in', exists: 'number', doneFile: '{name}.done', temporaryName },
		when: { every: '1s' },
		retry: { tries: 100, first: '200ms', longest: '1s' },
	};
	writeFileSync(file, JSON.stringify(route));
	await installation.json('route', 'put', ...WHOSE, '--file', file);
	return { installation, daemon, out, into };
}

for (const operation of ['none', 'tokenize'] as const) {
	test(`${operation}: whenever the daemon is killed, no file is lost, doubled or half written`, async (t) => {
		const { installation, daemon: first, out, into } = await openFeed(t, operation);
		let daemon = first;
		const sent = new Map<string, string>();
		for (let round = 0; round < ROUNDS; round++) {
			for (let nth = 0; nth < FILES_A_ROUND; nth++) {
				const name = `${round}-${nth}.csv`;
				const rows = Array.from(
					{ length: 1 + nth * 300 },
					(_, row) => `4111111111111111,12,2029,Visa,${name} ${row}\n`,
				);
				sent.set(name, HEAD + rows.join(''));
				writeOld(out, name, sent.get(name));
			}
			await sleep(Math.random() * 3_000);
			await daemon.kill();
			daemon = await installation.start();
		}
		await until(
			'every file is at the bank',
			async () => namesIn(out).length === 0 && doneOf(into).length >= sent.size,
			{ withinMs: 120_000 },
		);
		// A delivery that is still under way would show itself within a few runs more.
		await sleep(3_000);
		t.deepEqual(doneOf(into), [...sent.keys()].sort(), 'each one once');
		for (const [name, content] of sent) {
			const delivered = readFileSync(join(into, name), 'utf8');
			if (operation === 'none') t.is(delivered, content, name);
			else t.is(delivered.replace(/^[0-9a-f]{32}(?=,)/gm, '4111111111111111'), content, name);
		}
		const leftovers = namesIn(into).filter((name) => name.endsWith('.part'));
		t.deepEqual(leftovers, [], 'nothing unfinished is left at the bank');
		const files = await installation.json('route', 'files', ...WHOSE, '--name', 'feed');
		t.deepEqual([...new Set(files.map(({ state }: { state: string }) => state))], ['done']);
		await daemon.stop();
	});
}

/** Returns the names of the files whose done-file is there. */
function doneOf(folder: string): string[] {
	return namesIn(folder).flatMap((name) => (name.endsWith('.done') ? name.slice(0, -'.done'.length) : []));
}

test('a file that comes is tokenized, and three routes from one folder send it on, each once', async (t) => {
	const root = makeFolder(t);
	for (const name of ['in', 'one', 'two', 'three']) mkdirSync(join(root, name));
	const installation = await openInstallation(t, { variables: { TOKENDROP_ROUTES_FOLDERS: root } });
	const daemon = await installation.start();
	const put = async (name: string, document: object) => {
		const file = join(installation.folder, 'document.json');
		writeFileSync(file, JSON.stringify({ name, ...document, when: { arrival: true } }));
		await installation.json('route', 'put', ...WHOSE, '--file', file);
	};
	await put('collect', {
		from: { folder: root, path: 'in', afterwards: 'delete', ready: { unchanged: '1s' } },
		do: { operation: 'tokenize', filter: 'SIMPLECSV' },
		to: { drop: '/tokenized/SIMPLECSV' },
	});
	for (const name of ['one', 'two', 'three']) {
		await put(name, {
			from: { drop: '/tokenized/SIMPLECSV' },
			do: { operation: 'none' },
			to: { folder: root, path: name, exists: 'number' },
		});
	}
	for (const name of ['a.csv', 'b.csv']) {
		writeOld(join(root, 'in'), name, `${HEAD}4111111111111111,12,2029,Visa,${name}\n`);
	}
	const sent = ['one', 'two', 'three'].map((name) => join(root, name));
	await until('all three have both files', async () => sent.every((folder) => namesIn(folder).length >= 2), {
		withinMs: 60_000,
	});
	await sleep(5_000);
	for (const folder of sent) t.deepEqual(namesIn(folder), ['a.csv', 'b.csv']);
	t.deepEqual(namesIn(join(root, 'in')), []);
	const [run] = await installation.json('route', 'history', ...WHOSE, '--name', 'one');
	t.like(run, { trigger: 'arrival', state: 'done' });
	const runs = await installation.json('route', 'history', ...WHOSE, '--name', 'two');
	t.true(runs.length <= 2, 'looks that find nothing are no runs');
	await daemon.stop();
});
