// Measures a route: a file of 100 MB from one SFTP server to another, tokenized, beside `file tokenize` of the same file.

import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from '../test/helpers/daemon.ts';
import { type SshdPartner, startPartner } from '../test/helpers/sftp-partner.ts';
import { runs } from './amounts.ts';
import { figure, median } from './figures.ts';
import { FILE_BYTES } from './files.ts';
import { generate } from './generate.ts';
import { forgetPeak, readProcess, residentMb } from './process-usage.ts';
import type { BenchRow } from './table.ts';
import { Teardowns } from './teardowns.ts';
import { withDaemon } from './with-daemon.ts';

const RUNS = runs(3);
const NAME = 'large.csv';
/** A daemon that has run for a while has its threads and its code ready, so a small file goes before. */
const FIRST_BYTES = 4_000_000;

interface Measured {
	readonly routeSeconds: number;
	readonly commandSeconds: number;
	readonly idleMb: number;
	readonly peakMb: number;
}

export async function routeRows(folder: string): Promise<BenchRow[]> {
	const file = generate('SIMPLECSV', join(folder, NAME), FILE_BYTES).path;
	const first = generate('SIMPLECSV', join(folder, 'first.csv'), FIRST_BYTES).path;
	const rounds: Measured[] = [];
	for (let round = 0; round < RUNS; round++) rounds.push(await measure(file, first));
	const rates = rounds.map(({ routeSeconds, commandSeconds }) => commandSeconds / routeSeconds);
	const peaks = rounds.map(({ peakMb }) => peakMb);
	const seconds = (name: 'routeSeconds' | 'commandSeconds') => median(rounds.map((each) => each[name])).toFixed(1);
	return [
		{
			what: 'route of 100 MB from SFTP to SFTP on loopback, tokenized, beside `file tokenize`',
			result: `${median(rates).toFixed(2)} of its rate (${seconds('routeSeconds')} s beside ${seconds('commandSeconds')} s)`,
			target: '0.6, aim 0.9',
			figures: [figure('routes/beside-command', 'times', rates, { must: 0.6, aim: 0.9 })],
		},
		{
			what: 'most memory of the daemon during that route',
			result: `${median(peaks).toFixed(0)} MB, ${median(rounds.map(({ idleMb }) => idleMb)).toFixed(0)} MB before`,
			target: 'at most 250 MB',
			figures: [figure('routes/memory', 'MB', peaks, { must: 250 })],
		},
	];
}

/** Measures both, each in an installation of its own, because a card that is known already takes less time. */
async function measure(file: string, first: string): Promise<Measured> {
	const commandSeconds = await withDaemon({}, async (_url, { userId }, { program, folder }) => {
		const startedAt = performance.now();
		const paths = [file, join(folder, 'out.csv'), '--report', join(folder, 'report.json')];
		const { code, stderr } = await program('file', 'tokenize', '--user-id', userId, '--filter', 'SIMPLECSV', ...paths);
		if (code !== 0) throw new Error(stderr);
		return (performance.now() - startedAt) / 1_000;
	});
	const variables = { TOKENDROP_RELAY_ALLOW_PRIVATE: 'true' };
	return withDaemon(variables, async (_url, { userId }, installation, { pid }) => {
		const whose = ['--user-id', userId];
		await using t = new Teardowns();
		const [visa, bank] = await Promise.all([startPartner(t as never), startPartner(t as never)]);
		mkdirSync(join(visa.folder, 'out'));
		mkdirSync(join(bank.folder, 'in'));
		await store(installation, whose, { visa, bank });
		copyFileSync(first, join(visa.folder, 'out', 'first.csv'));
		await installation.json('route', 'run', ...whose, '--name', 'bench', '--wait');
		copyFileSync(file, join(visa.folder, 'out', NAME));
		const idleMb = residentMb(pid);
		forgetPeak(pid);
		await installation.json('route', 'run', ...whose, '--name', 'bench', '--wait');
		const { peakMb } = readProcess(pid);
		const [run] = await installation.json('route', 'history', ...whose, '--name', 'bench');
		if (run.state !== 'done') throw new Error(JSON.stringify(run));
		const routeSeconds = (Date.parse(run.endedAt) - Date.parse(run.startedAt)) / 1_000;
		return { routeSeconds, commandSeconds, idleMb, peakMb };
	});
}

/** Stores the partners as destinations and the route between them, which runs by hand. */
async function store(
	installation: Installation,
	whose: readonly string[],
	partners: Readonly<Record<'visa' | 'bank', SshdPartner>>,
): Promise<void> {
	const file = join(installation.folder, 'document.json');
	for (const [name, { port, userName, hostKeys, keyFile }] of Object.entries(partners)) {
		const document = { name, host: '127.0.0.1', port, userName, hostKeys: [hostKeys.ed25519] };
		writeFileSync(file, JSON.stringify(document));
		await installation.json('destination', 'put', ...whose, '--file', file, '--private-key-file', keyFile);
	}
	const route = {
		name: 'bench',
		from: { destination: 'visa', path: 'out', ready: { unchanged: '0s' } },
		do: { operation: 'tokenize', filter: 'SIMPLECSV' },
		to: { destination: 'bank', path: 'in' },
	};
	writeFileSync(file, JSON.stringify(route));
	await installation.json('route', 'put', ...whose, '--file', file);
}
