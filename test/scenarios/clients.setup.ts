// What clients.test.ts and clients.slow.test.ts share.

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { checkTokenized } from '../helpers/daemon-checks.ts';
import type { FileClient } from '../helpers/daemon-clients.ts';
import { type FixtureCase, fixtureCases } from '../helpers/fixture-cases.ts';
import { shareDaemon } from '../helpers/scenario-daemon.ts';
import { until } from '../helpers/until.ts';

export const shared = shareDaemon();

export function getFixture(filter: string, name: string): FixtureCase {
	return fixtureCases(filter).find((each) => each.name === name)!;
}

export async function thereAndBack(
	t: ExecutionContext,
	client: FileClient,
	filter: string,
	fixtureName: string,
	at = shared.door(),
) {
	const fixture = getFixture(filter, fixtureName);
	const name = `${client.name.replaceAll(/\W/g, '-')}-${fixtureName}.txt`;
	const local = (step: string) => join(at.folder, `${step}-${name}`);
	const succeeds = async (outcome: ReturnType<FileClient['put']>) => {
		const { code, stderr } = await outcome;
		t.is(code, 0, stderr);
	};
	await writeFile(local('original'), fixture.bytes);
	await succeeds(client.put(at, local('original'), `/tokenize/${filter}/${name}`));
	await until('the output shows', async () => (await client.names(at, `/tokenized/${filter}`)).includes(name));
	await succeeds(client.get(at, `/tokenized/${filter}/${name}`, local('tokens')));
	checkTokenized(t, fixture, await readFile(local('tokens')));
	await succeeds(client.put(at, local('tokens'), `/detokenize/${filter}/${name}`));
	await until('the original shows', async () => (await client.names(at, `/detokenized/${filter}`)).includes(name));
	await succeeds(client.get(at, `/detokenized/${filter}/${name}`, local('back')));
	t.is((await readFile(local('back'))).toString('latin1'), fixture.bytes.toString('latin1'));
}

export const roundTrip = test.macro({
	async exec(t, client: FileClient, filter: string, fixtureName: string) {
		await thereAndBack(t, client, filter, fixtureName);
	},
	title: (_, client: FileClient, filter) =>
		`${client.name} puts, lists and gets a ${filter} file, and its numbers come back`,
});
