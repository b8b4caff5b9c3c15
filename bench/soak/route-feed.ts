// A route between two partners that a daemon carries out while it is harmed: every file must arrive once and whole.

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

/** Starts two partners and stores a route between them that runs every second. A daemon has to run. */
export async function openRouteFeed(t: Teardown, installation: Installation): Promise<RouteFeed> {
	const [visa, bank] = await Promise.all([startPartner(t as never), startPartner(t as never)]);
	const [out, into] = [join(visa.folder, 'out'), join(bank.folder, 'in')];
	for (const folder of [out, into]) mkdirSync(folder);
	const whose = ['--user-id', installation.demo.userId];
	const file = join(installation.folder, 'document.json');
	for (const [name, { port, userName, hostKeys, keyFile }] of Object.entries({ visa, bank })) {
		const document = { name, host: '127.0.0.1', port, userName, hostKeys: [hostKeys.ed25519] };
		writeFileSync(file, JSON.stringify(document));
		await installation.json('destination', 'put', ...whose, '--file', file, '--private-key-file', keyFile);
	}
	const route = {
		name: 'soak',
		from: { destination: 'visa', path: 'out', afterwards: 'delete', ready: { unchanged: '1s' } },
		do: { operation: 'none' },
		// A second delivery would get a number, and so would be seen.
		to: { destination: 'bank', path: 'in', exists: 'number', doneFile: `{name}${DONE}` },
		when: { every: '1s' },
		retry: { tries: 100, first: '200ms', longest: '1s' },
	};
	writeFileSync(file, JSON.stringify(route));
	await installation.json('route', 'put', ...whose, '--file', file);
	let rounds = 0;
	return {
		async send(harm) {
			rounds += 1;
			const sent = new Map<string, string>();
			for (let nth = 0; nth < FILES; nth++) {
				const name = `${rounds}-${nth}.txt`;
				sent.set(name, `${name}\n`.repeat(1 + nth * 20_000));
				writeFileSync(join(out, name), sent.get(name)!);
			}
			await sleep(Math.random() * MORE_RUNS_MS);
			await harm();
			const until = performance.now() + WITHIN_MS;
			while (readdirSync(out).length > 0 && performance.now() < until) await sleep(200);
			await sleep(MORE_RUNS_MS);
			return wrongOf(into, sent, `${rounds}-`);
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
