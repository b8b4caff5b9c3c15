// A daemon that carries out routes is killed at random moments, and every file is delivered once and whole.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { bucketPartner } from '../helpers/bucket-partner.ts';
import { openInstallation } from '../helpers/daemon.ts';
import { makeFolder } from '../helpers/file-parts.ts';
import { namesIn, writeOld } from '../helpers/route-parts.ts';
import { openS3Server, type S3Call, type S3Server } from '../helpers/s3-server.ts';
import { startPartner } from '../helpers/sftp-partner.ts';
import { until } from '../helpers/until.ts';

const ROUNDS = 6;
const FILES_A_ROUND = 8;
const HEAD = 'CardNumber,ExpirationMonth,ExpirationYear,CardType,Reference\n';
const WHOSE = ['--user-id', 'demo'];

/** The partner who gets the files, and what the test sees there. */
interface Bank {
	/** Writes a destination `bank` into a folder, and returns the options of `destination put` that name it. */
	files(folder: string): string[];
	names(): string[];
	text(name: string): string;
	/** Returns what is left of deliveries that did not come to their end. */
	leftovers(): string[];
}

const BANKS = { sftp: openSftpBank, s3: openBucketBank };

async function openSftpBank(t: ExecutionContext): Promise<Bank> {
	const partner = await startPartner(t);
	const into = join(partner.folder, 'in');
	mkdirSync(into);
	return {
		files: (folder) => sftpFiles(folder, 'bank', partner),
		names: () => namesIn(into),
		text: (name) => readFileSync(join(into, name), 'utf8'),
		leftovers: () => namesIn(into).filter((name) => name.endsWith('.part')),
	};
}

async function openBucketBank(t: ExecutionContext): Promise<Bank & { readonly server: S3Server }> {
	const server = await openS3Server(t);
	return {
		server,
		files: (folder) => bucketPartner(server.place).destinationFiles(folder, 'bank'),
		names: () => [...server.objects.keys()].map((key) => key.replace(/^in\//, '')).sort(),
		text: (name) => server.objects.get(`in/${name}`)!.toString(),
		// An upload that was begun in the moment of a kill is not known by its id, but holds nothing yet.
		leftovers: () => [...server.uploads.values()].filter(({ parts }) => parts.size > 0).map(({ key }) => key),
	};
}

function sftpFiles(folder: string, name: string, partner: Awaited<ReturnType<typeof startPartner>>): string[] {
	const file = join(folder, `${name}.json`);
	const { port, userName, hostKeys } = partner;
	writeFileSync(file, JSON.stringify({ name, host: '127.0.0.1', port, userName, hostKeys: [hostKeys.ed25519] }));
	return ['--file', file, '--private-key-file', partner.keyFile];
}

/** Starts a daemon with two partners and a route between them that runs every second. */
async function openFeed(t: ExecutionContext, operation: 'none' | 'tokenize', bank: Bank) {
	const variables = { TOKENDROP_RELAY_ALLOW_PRIVATE: 'true', TOKENDROP_JOBS_LEASE_SECONDS: '2' };
	const installation = await openInstallation(t, { variables });
	const visa = await startPartner(t);
	const out = join(visa.folder, 'out');
	mkdirSync(out);
	const file = join(installation.folder, 'document.json');
	const daemon = await installation.start();
	for (const files of [sftpFiles(installation.folder, 'visa', visa), bank.files(installation.folder)]) {
		await installation.json('destination', 'put', ...WHOSE, ...files);
	}
	const work = operation === 'none' ? { operation } : { operation, filter: 'SIMPLECSV' };
	const route = {
		name: 'feed',
		from: { destination: 'visa', path: 'out', afterwards: 'delete', ready: { unchanged: '0s' } },
		do: work,
		// A second delivery would get a number, and so would be seen.
		to: { destination: 'bank', path: 'in', exists: 'number', doneFile: '{name}.done' },
		when: { every: '1s' },
		retry: { tries: 100, first: '200ms', longest: '1s' },
	};
	writeFileSync(file, JSON.stringify(route));
	await installation.json('route', 'put', ...WHOSE, '--file', file);
	return { installation, daemon, out };
}

// Those with a bucket run one after the other, because daemons that are started all the time take the processor from tests of
// other files.
for (const [operation, kind, run] of [
	['none', 'sftp', test],
	['tokenize', 'sftp', test],
	['tokenize', 's3', test.serial],
] as const) {
	run(`${operation}, ${kind}: whenever the daemon is killed, no file is lost, doubled or half written`, async (t) => {
		const bank = await BANKS[kind](t);
		const { installation, daemon: first, out } = await openFeed(t, operation, bank);
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
			async () => namesIn(out).length === 0 && doneOf(bank.names()).length >= sent.size,
			{ withinMs: 120_000 },
		);
		// A delivery that is still under way would show itself within a few runs more.
		await sleep(3_000);
		t.deepEqual(doneOf(bank.names()), [...sent.keys()].sort(), 'each one once');
		for (const [name, content] of sent) {
			const delivered = bank.text(name);
			if (operation === 'none') t.true(delivered === content, name);
			else t.is(delivered.replace(/^[0-9a-f]{32}(?=,)/gm, '4111111111111111'), content, name);
		}
		t.is(bank.names().length, 2 * sent.size, 'each file and its done-file, and nothing else');
		t.deepEqual(bank.leftovers(), [], 'nothing unfinished is left at the bank');
		const files = await installation.json('route', 'files', ...WHOSE, '--name', 'feed');
		t.deepEqual([...new Set(files.map(({ state }: { state: string }) => state))], ['done']);
		await daemon.stop();
	});
}

/** The calls with which a large file comes into a bucket. */
const STEPS: Readonly<Record<string, (call: S3Call) => boolean>> = {
	begin: ({ method, query }) => method === 'POST' && query.has('uploads'),
	part: ({ query }) => query.get('partNumber') === '1',
	'last part': ({ query }) => query.get('partNumber') === '2',
	complete: ({ method, query }) => method === 'POST' && query.has('uploadId'),
	'done-file': ({ method, key }) => method === 'PUT' && key.endsWith('.done'),
};

test.serial(
	'a daemon that is killed at any call to a bucket, before or after it is carried out, delivers each file once',
	async (t) => {
		const bank = await openBucketBank(t);
		const { server } = bank;
		const { installation, daemon: first, out } = await openFeed(t, 'none', bank);
		let daemon = first;
		const sent = new Map<string, string>();
		for (const [step, isMeant] of Object.entries(STEPS)) {
			for (const fault of ['refuse-connection', 'cut'] as const) {
				const killed = Promise.withResolvers<void>();
				let left = 1;
				server.fault = (call) => {
					if (!isMeant(call) || left-- <= 0) return undefined;
					daemon.kill().then(killed.resolve, killed.reject);
					return fault;
				};
				const name = `${step.replace(' ', '-')}-${fault}.csv`;
				// It is larger than a part, and smaller than two.
				sent.set(name, `${name}\n`.repeat(Math.ceil(8e6 / name.length)));
				writeOld(out, name, sent.get(name));
				await killed.promise;
				server.fault = () => undefined;
				daemon = await installation.start();
				await until(`${name} is at the bank`, async () => bank.names().includes(`${name}.done`), { withinMs: 120_000 });
			}
		}
		await until('every source is removed', async () => namesIn(out).length === 0, { withinMs: 120_000 });
		t.deepEqual(bank.names(), [...sent.keys()].flatMap((name) => [name, `${name}.done`]).sort());
		for (const [name, content] of sent) t.true(bank.text(name) === content, name);
		t.deepEqual(bank.leftovers(), []);
		await daemon.stop();
	},
);

/** Returns the names of the files whose done-file is there. */
function doneOf(names: readonly string[]): string[] {
	return names.flatMap((name) => (name.endsWith('.done') ? name.slice(0, -'.done'.length) : []));
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
