// Routes between two partners that a daemon carries out while it is harmed: every file must arrive once and whole. One route
// passes files on as they are; two others, one after the other, encrypt and sign them, and decrypt and verify them again.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Installation, Teardown } from '../../test/helpers/daemon.ts';
import { startPartner } from '../../test/helpers/sftp-partner.ts';

const FILES = 6;
const WITHIN_MS = 60_000;
/** A second delivery would show itself within this time. */
const MORE_RUNS_MS = 3_000;
const DONE = '.done';

export interface RouteFeed {
	/** Sends files while `harm` does its work. Returns what was lost, doubled, half written or left over. */
	send(harm: () => Promise<void>): Promise<readonly string[]>;
}

/** Starts two partners and stores routes between them that run every second. A daemon has to run. */
export async function openRouteFeed(t: Teardown, installation: Installation): Promise<RouteFeed> {
	const [visa, bank] = await Promise.all([startPartner(t as never), startPartner(t as never)]);
	const [out, plain, wrapped] = ['out', 'plain', 'wrapped'].map((name) => join(visa.folder, name));
	const [into, unwrapped] = ['in', 'unwrapped'].map((name) => join(bank.folder, name));
	for (const folder of [out, plain, wrapped, into, unwrapped]) mkdirSync(folder);
	const whose = ['--user-id', installation.demo.userId];
	const file = join(installation.folder, 'document.json');
	for (const [name, { port, userName, hostKeys, keyFile }] of Object.entries({ visa, bank })) {
		const document = { name, host: '127.0.0.1', port, userName, hostKeys: [hostKeys.ed25519] };
		writeFileSync(file, JSON.stringify(document));
		await installation.json('destination', 'put', ...whose, '--file', file, '--private-key-file', keyFile);
	}
	await installation.json('pgp-key', 'create', ...whose, '--name', 'own');
	const from = { destination: 'visa', afterwards: 'delete' };
	// A second delivery would get a number, and so would be seen.
	const to = { exists: 'number', doneFile: `{name}${DONE}` };
	const routes = [
		{
			name: 'soak',
			from: { ...from, path: 'out', ready: { unchanged: '1s' } },
			do: { operation: 'none' },
			to: { ...to, destination: 'bank', path: 'in' },
		},
		{
			name: 'soak-wrap',
			from: { ...from, path: 'plain', ready: { unchanged: '1s' } },
			do: { operation: 'none', encrypt: { for: ['own'], signWith: 'own' } },
			to: { ...to, destination: 'visa', path: 'wrapped', name: '{name}.pgp' },
		},
		{
			name: 'soak-unwrap',
			from: { ...from, path: 'wrapped', ready: { unchanged: '0s', doneFile: `{name}${DONE}` } },
			do: { operation: 'none', decrypt: { with: 'own', verifiedBy: ['own'] } },
			to: { ...to, destination: 'bank', path: 'unwrapped' },
		},
	];
	for (const route of routes) {
		const times = { when: { every: '1s' }, retry: { tries: 100, first: '200ms', longest: '1s' } };
		writeFileSync(file, JSON.stringify({ ...route, ...times }));
		await installation.json('route', 'put', ...whose, '--file', file);
	}
	let rounds = 0;
	return {
		async send(harm) {
			rounds += 1;
			const sent = new Map<string, string>();
			for (let nth = 0; nth < FILES; nth++) {
				const name = `${rounds}-${nth}.txt`;
				sent.set(name, `${name}\n`.repeat(1 + nth * 20_000));
				for (const folder of [out, plain]) writeFileSync(join(folder, name), sent.get(name)!);
			}
			await sleep(Math.random() * MORE_RUNS_MS);
			await harm();
			const until = performance.now() + WITHIN_MS;
			const isUnderWay = () => [out, plain, wrapped].some((folder) => readdirSync(folder).length > 0);
			while (isUnderWay() && performance.now() < until) await sleep(200);
			await sleep(MORE_RUNS_MS);
			const wrong = [into, unwrapped].flatMap((folder) => wrongOf(folder, sent, `${rounds}-`));
			return [...wrong, ...readdirSync(wrapped).map((name) => `${name} was left on the way`)];
		},
	};
}

function wrongOf(into: string, sent: ReadonlyMap<string, string>, prefix: string): string[] {
	const wrong: string[] = [];
	const there = readdirSync(into).filter((name) => name.startsWith(prefix) || name.startsWith(`.${prefix}`));
	for (const [name, content] of sent) {
		if (!there.includes(`${name}${DONE}`)) wrong.push(`${name} was not delivered by the route`);
		else if (readFileSync(join(into, name), 'utf8') !== content) wrong.push(`${name} was delivered half written`);
	}
	const known = new Set([...sent.keys()].flatMap((name) => [name, `${name}${DONE}`]));
	for (const name of there.filter((each) => !known.has(each))) wrong.push(`${name} was delivered twice, or left over`);
	return wrong;
}
