// What more-clients.test.ts and more-clients.slow.test.ts share.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openBadNetwork } from '../helpers/clients/bad-network.ts';
import type { SessionClient, SessionDoor } from '../helpers/clients/client.ts';
import { ClientRefused } from '../helpers/clients/conversation.ts';
import { shareDaemon } from '../helpers/scenario-daemon.ts';
import { until } from '../helpers/until.ts';

export const shared = shareDaemon();

/** The file has few cards and much text, so that the network has more to carry than the vault has to store. */
export const HEAD = 'CardNumber,ExpirationDate,CVV,Remark\n';
const ROWS = 40;
const REMARK = 'breakfast and a view of the sea, '.repeat(600);
export const FILE = `${HEAD}${`4111111111111111,12/29,123,"${REMARK}"\n`.repeat(ROWS)}`;
/** The network breaks after this many bytes. OpenSSH sftp sends 255 KiB at a time, and one such piece must get through. */
const BREAKS_AT = 500_000;

export const userNameOf = ({ name }: SessionClient, story: string) =>
	`${name.toLowerCase().replaceAll(/\W+/g, '-')}-${story}`;

/** Creates an account for one story of one client. */
export async function openDoor(userName: string): Promise<SessionDoor> {
	const { apiKey } = await shared.installation.json('account', 'create', '--user-id', userName);
	const { sftpPort: port, fingerprints } = shared.daemon;
	return { port, folder: shared.installation.folder, userName, password: apiKey, fingerprints };
}

/** Returns what the client says to its user when it is refused. */
export async function refusalOf(t: ExecutionContext, doing: Promise<unknown>): Promise<string> {
	const error = await t.throwsAsync(doing, { instanceOf: ClientRefused });
	return error?.message ?? '';
}

/** Opens a session that ends with the test. */
export async function openSession(t: ExecutionContext, client: SessionClient, door: SessionDoor) {
	const session = await client.open(door);
	t.teardown(() => session.end());
	return session;
}

export async function openNetwork(t: ExecutionContext, door: SessionDoor, end: 'break' | 'stall') {
	const network = await openBadNetwork(door.port, BREAKS_AT, end);
	t.teardown(() => network.close());
	return network;
}

/** Breaks the network of an upload, and returns how many bytes of it the daemon has. */
async function breakUpload(t: ExecutionContext, client: SessionClient, door: SessionDoor, local: string, path: string) {
	const network = await openNetwork(t, door, 'break');
	const session = await openSession(t, client, { ...door, port: network.port });
	await refusalOf(t, session.put(local, path));
	const { database } = await shared.installation.parts();
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

export const files = test.macro({
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
			const { database } = await shared.installation.parts();
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
