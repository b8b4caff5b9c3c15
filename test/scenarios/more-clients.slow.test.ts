// Those tests of more-clients.test.ts that take long.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { sessionClients } from '../helpers/clients/all.ts';
import type { SessionClient, SessionDoor } from '../helpers/clients/client.ts';
import { openssh } from '../helpers/clients/openssh.ts';
import { makePemKey, makeSshKey } from '../helpers/daemon-credentials.ts';
import { testNeeding } from '../helpers/test-needing.ts';
import { until } from '../helpers/until.ts';
import {
	FILE,
	files,
	HEAD,
	openDoor,
	openNetwork,
	openSession,
	refusalOf,
	shared,
	userNameOf,
} from './more-clients.setup.ts';

const CUT_WITHIN_MS = 6_000;

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
		await installation.json('api-key', 'revoke', '--user-id', userName);
		await installation.json('ssh-key', 'remove', ...publicKey);
		const from = performance.now();
		const { database } = await installation.parts();
		const cuts = database.knex('audit').where({ action: 'credential.cut', subject: `account ${userName}` });
		const trail = await until('the daemon has cut both sessions', async () => {
			const entries = await cuts.clone();
			return entries.length === doors.length && entries;
		});
		const ms = performance.now() - from;
		t.true(ms < CUT_WITHIN_MS, `${ms} ms`);
		// How soon a client sees that its connection is gone is its own matter: gio may take a minute.
		await Promise.all(works.map(({ cut }) => cut()));
		for (const door of doors) await refusalOf(t, client.open(door));
		const whys = trail.map(({ details }) => JSON.parse(details).why);
		t.deepEqual(whys.toSorted(), ['the API key was revoked', 'the SSH key was removed']);
		const lines = shared.daemon.log().split('\n');
		const refused = lines.filter((line) => /login refused/.test(line) && line.includes(`"${userName}"`));
		t.true(refused.length > 0 && refused.every((line) => line.includes('wrong credential')));
	},
	title: (_, { name }: SessionClient) => `${name} is cut off when its credential ends, and cannot log in again`,
});

// The clients run one after the other, because all at once would be held up by the machine rather than by the daemon.
for (const client of sessionClients) {
	if (client !== openssh) testNeeding(...client.needs).serial(files, client);
}
for (const story of [again, refusals, revocation]) {
	for (const client of sessionClients) testNeeding(...client.needs).serial(story, client);
}
