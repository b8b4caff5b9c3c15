// OpenSSH's sftp, PuTTY's clients, GNOME's gio, sshfs and libraries of five languages send files over a network that breaks, under names that
// are refused, and with credentials that end.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { sessionClients } from '../helpers/clients/all.ts';
import { openBadNetwork } from '../helpers/clients/bad-network.ts';
import type { SessionClient, SessionDoor } from '../helpers/clients/client.ts';
import { ClientRefused } from '../helpers/clients/conversation.ts';
import { makePemKey, makeSshKey } from '../helpers/daemon-credentials.ts';
import { shareDaemon } from '../helpers/scenario-daemon.ts';
import { testNeeding } from '../helpers/test-needing.ts';
import { until } from '../helpers/until.ts';

const shared = shareDaemon();
const CUT_WITHIN_MS = 6_000;

/** The file has few cards and much text, so that the network has more to carry than the vault has to store. */
const HEAD = 'CardNumber,ExpirationDate,CVV,Remark\n';
const ROWS = 40;
const REMARK = 'breakfast and a view of the sea, '.repeat(600);
const FILE = `${HEAD}${`4111111111111111,12/29,123,"${REMARK}"\n`.repeat(ROWS)}`;
/** The network breaks after this many bytes. OpenSSH sftp sends 255 KiB at a time, and one such piece must get through. */
const BREAKS_AT = 500_000;

const userNameOf = ({ name }: SessionClient, story: string) => `${name.toLowerCase().replaceAll(/\W+/g, '-')}-${story}`;

/** Creates an account for one story of one client. */
async function openDoor(userName: string): Promise<SessionDoor> {
	const { apiKey } = await shared.installation.json('account', 'create', '--user-id', userName);
	const { sftpPort: port, fingerprints } = shared.daemon;
	return { port, folder: shared.installation.folder, userName, password: apiKey, fingerprints };
}

/** Returns what the client says to its user when it is refused. */
async function refusalOf(t: ExecutionContext, doing: Promise<unknown>): Promise<string> {
	const error = await t.throwsAsync(doing, { instanceOf: ClientRefused });
	return error?.message ?? '';
}

/** Opens a session that ends with the test. */
async function openSession(t: ExecutionContext, client: SessionClient, door: SessionDoor) {
	const session = await client.open(door);
	t.teardown(() => session.end());
	return session;
}

async function openNetwork(t: ExecutionContext, door: SessionDoor, end: 'break' | 'stall') {
	const network = await openBadNetwork(door.port, BREAKS_AT, end);
	t.teardown(() => network.close());
	return network;
}

/** Breaks the network of an upload, and returns how many bytes of it the daemon has. */
async function breakUpload(t: ExecutionContext, client: SessionClient, door: SessionDoor, local: string, path: string) {
	const network = await openNetwork(t, door, 'break');
	const session = await openSession(t, client, { ...door, port: network.port });
	await refusalOf(t, session.put(local, path));
	const { database } = await shared.installation.rooms();
	const row = await until('the upload is paused', () =>
		database
			.knex('drop_files')
			.where({ name: path.split('/').at(-1), state: 'partial' })
			.first(),
	);
	const kept = Number(row.size);
	t.true(kept > 0 && kept < BREAKS_AT, `${kept} bytes are kept`);
	return kept;
}

function bytesWrittenTo(path: string): number[] {
	const lines = shared.daemon.log().split('\n');
	const closed = lines.filter((line) => line.includes('sftp file closed')).map((line) => JSON.parse(line));
	return closed.filter((each) => each.path === path).map(({ bytesWritten }) => bytesWritten);
}

function checkTokens(t: ExecutionContext, output: string): void {
	const swapped = /^[0-9a-f]{32},12\/29,\*{3},/gm;
	t.is(output.match(swapped)?.length, ROWS);
	t.is(output.replaceAll(swapped, '4111111111111111,12/29,123,'), FILE);
}

const files = test.macro({
	async exec(t, client: SessionClient) {
		const door = await openDoor(userNameOf(client, 'sends'));
		const name = `${door.userName}.csv`;
		const local = join(door.folder, name);
		const path = `/tokenize/SIMPLECSV/${name}`;
		await writeFile(local, FILE);
		const part = client.isOneShot ? path : `${path}.part`;
		const kept = await breakUpload(t, client, door, local, part);
		const session = await openSession(t, client, door);
		if (client.isOneShot) await session.put(local, path);
		else {
			await session.resume(local, part);
			// sshfs is done before the daemon has closed the file.
			const written = await until(
				'the upload is closed',
				() => bytesWrittenTo(part).length > 0 && bytesWrittenTo(part),
			);
			t.deepEqual(written, [FILE.length - kept], 'only the rest is sent');
			const { database } = await shared.installation.rooms();
			t.is(await database.knex('jobs').where({ name }).first(), undefined, 'a partial name makes no job');
			await session.rename(part, path);
		}
		await until('the output shows', async () => (await session.names('/tokenized/SIMPLECSV')).includes(name));
		await session.get(`/tokenized/SIMPLECSV/${name}`, `${local}.tokens`);
		checkTokens(t, await readFile(`${local}.tokens`, 'utf8'));
	},
	title: (_, { name, isOneShot }: SessionClient) =>
		isOneShot
			? `${name} sends a file again that broke off, and gets its output`
			: `${name} resumes an upload that broke off, renames it, and gets its output`,
});

const again = test.macro({
	async exec(t, client: SessionClient) {
		const door = await openDoor(userNameOf(client, 'repeats'));
		const name = `${door.userName}.csv`;
		const local = join(door.folder, name);
		await writeFile(local, `${HEAD}4111111111111111,12/29,123,first\n`);
		const session = await openSession(t, client, door);
		await session.put(local, `/tokenize/SIMPLECSV/${name}`);
		const outputs = async (count: number) => {
			const names = await session.names('/tokenized/SIMPLECSV');
			return names.length === count && names;
		};
		await until('the first output shows', () => outputs(1));
		await writeFile(local, `${HEAD}4111111111111111,12/29,123,second\n`);
		await session.put(local, `/tokenize/SIMPLECSV/${name}`);
		const names = await until('both outputs show', () => outputs(2));
		t.true(names.includes(name), names.join());
		await session.get(`/tokenized/SIMPLECSV/${name}`, `${local}.tokens`);
		t.regex(await readFile(`${local}.tokens`, 'utf8'), /second/);
	},
	title: (_, { name }: SessionClient) => `${name} sends another file under a name that it has just sent`,
});

/** The paths that are refused, why, and the code, which is all that some clients show of a refusal. */
const REFUSALS = [
	{
		path: '/tokenize/SIMPLECSV/4111111111111111.csv',
		why: /file names must not hold card numbers: rename the file/,
		code: 'failure',
	},
	{ path: '/tokenized/SIMPLECSV/mine.csv', why: /put yours into \/tokenize\/SIMPLECSV/, code: 'permission-denied' },
] as const;

const refusals = test.macro({
	async exec(t, client: SessionClient) {
		const door = await openDoor(userNameOf(client, 'errs'));
		const local = join(door.folder, `${door.userName}.csv`);
		await writeFile(local, HEAD);
		const session = await openSession(t, client, door);
		for (const { path, why, code } of REFUSALS) {
			t.regex(await refusalOf(t, session.put(local, path)), client.saysOfCodes?.[code] ?? why);
		}
		if (!client.isOneShot) {
			const [{ path, why, code }] = REFUSALS;
			const part = `/tokenize/SIMPLECSV/${door.userName}.part`;
			await session.put(local, part);
			t.regex(await refusalOf(t, session.rename(part, path)), client.saysOfCodes?.[code] ?? why);
		}
		t.notRegex(shared.daemon.log(), /4111111111111111/);
	},
	title: (_, { name, saysOfCodes }: SessionClient) =>
		saysOfCodes ? `${name} says that a name is refused` : `${name} says why a name is refused`,
});

/** Sets a client to work. `cut` resolves when the client says that its session is over. */
async function openWork(t: ExecutionContext, client: SessionClient, door: SessionDoor, local: string) {
	if (!client.isOneShot) {
		const session = await openSession(t, client, door);
		await session.names('/');
		const ask = async () => {
			for (let asked = 0; asked < 200; asked += 1) {
				await session.names('/');
				await sleep(50);
			}
		};
		return { cut: () => refusalOf(t, ask()) };
	}
	// A client that runs one command a session is at work only while a file is on its way.
	const network = await openNetwork(t, door, 'stall');
	const session = await openSession(t, client, { ...door, port: network.port });
	const putting = refusalOf(t, session.put(local, `/tokenize/SIMPLECSV/${door.userName}-${network.port}.csv`));
	await until('the network stalls', () => network.isUsedUp());
	return { cut: () => putting };
}

const revocation = test.macro({
	async exec(t, client: SessionClient) {
		const { installation } = shared;
		const byPassword = await openDoor(userNameOf(client, 'leaves'));
		const { userName, folder } = byPassword;
		const local = join(folder, `${userName}.csv`);
		await writeFile(local, FILE);
		const keyName = `${userName}.key`;
		const keyFile = await (client.wantsPem
			? makePemKey(folder, keyName, client.wantsPem)
			: makeSshKey(folder, keyName));
		const publicKey = ['--user-id', userName, '--file', `${keyFile}.pub`];
		await installation.json('ssh-key', 'add', ...publicKey);
		const doors = [byPassword, { ...byPassword, password: '', keyFile }];
		const works = [];
		for (const door of doors) works.push(await openWork(t, client, door, local));
		const from = performance.now();
		await installation.json('api-key', 'revoke', '--user-id', userName);
		await installation.json('ssh-key', 'remove', ...publicKey);
		await Promise.all(works.map(({ cut }) => cut()));
		const ms = performance.now() - from;
		t.true(ms < CUT_WITHIN_MS, `${ms} ms`);
		for (const door of doors) await refusalOf(t, client.open(door));
		const { database } = await installation.rooms();
		const trail = await database.knex('audit').where({ action: 'credential.cut', subject: `account ${userName}` });
		const whys = trail.map(({ details }) => JSON.parse(details).why);
		t.deepEqual(whys.toSorted(), ['the API key was revoked', 'the SSH key was removed']);
		const lines = shared.daemon.log().split('\n');
		const refused = lines.filter((line) => /login refused/.test(line) && line.includes(`"${userName}"`));
		t.true(refused.length > 0 && refused.every((line) => line.includes('wrong credential')));
	},
	title: (_, { name }: SessionClient) => `${name} is cut off when its credential ends, and cannot log in again`,
});

// The clients run one after the other, because all at once would be held up by the machine rather than by the daemon.
for (const story of [files, again, refusals, revocation]) {
	for (const client of sessionClients) testNeeding(...client.needs).serial(story, client);
}
