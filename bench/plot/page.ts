// Writes the part of docs/performance.md that is made from a run: the machine, and the tables and drawings of each subject.

import type { BenchGroup } from '../../src/commands/installation/bench.ts';
import type { BenchRun } from '../run-file.ts';
import { HEAD } from '../table.ts';
import { PLOTS } from './plots.ts';

const BEGIN = '<!-- what follows is made of run.json by `npm run bench plot` -->';
const END = '<!-- made of run.json up to here -->';

/** The subjects of the page, each with its groups of measurements and with what one has to know to read their tables. */
export const SECTIONS: readonly {
	readonly heading: string;
	readonly says: string;
	readonly groups: readonly BenchGroup[];
}[] = [
	{
		heading: 'Formats',
		says: 'Each file goes through the engine in a process of its own, into an empty SQLite database that syncs every commit, and back. The result must have the same bytes.',
		groups: ['files'],
	},
	{
		heading: 'Formats beside each other',
		says: 'The processor time of the pass alone, of a process that has passed the same file once before: what starting, reading and compiling the code costs is left out. The formats take turns.',
		groups: ['formats'],
	},
	{
		heading: 'Databases',
		says: 'The same files on PostgreSQL, which syncs every commit too, and beside the scripts in `bench/baselines`, which are what one would otherwise write.',
		groups: ['postgres', 'baselines'],
	},
	{
		heading: 'Memory and reports',
		says: 'The largest resident memory of the process with the job, its start included.',
		groups: ['memory', 'report'],
	},
	{
		heading: 'Starting',
		says: 'From `npm start` until the daemon says that it is ready, npm itself included. The first time it makes keys, a database and an account.',
		groups: ['start'],
	},
	{
		heading: 'HTTP',
		says: 'The daemon is one process, the load another one on the same machine. The bare route is what the framework itself can do.',
		groups: ['http', 'call-log'],
	},
	{
		heading: 'What a call costs',
		says: 'The processor time of the daemon for a call, and of a bare Fastify route that parses the same body, in turns.',
		groups: ['budget'],
	},
	{
		heading: 'Two processes',
		says: 'Two daemons on the same PostgreSQL, one of them with two processes, in turns. Database, load and target share the processors with both, so a machine with more cores gains more: at best the processes divided by the processor time beside one.',
		groups: ['processes'],
	},
	{
		heading: 'Several daemons',
		says: 'Cards are stored over 64 connections by one daemon, then by two, four and eight on the same PostgreSQL, which share the connections. Every five milliseconds somebody looks whether a connection waits for a lock at the end of the audit trail.',
		groups: ['lanes'],
	},
	{
		heading: 'Hosted forms',
		says: 'A browser with an empty cache loads the form ten times. Submissions and single cards are sent to the same daemon in turns, over 64 connections.',
		groups: ['pages'],
	},
	{
		heading: 'The portal',
		says: 'A browser and a client of sFTP send the same file to the same daemon in turns, until it is accepted. All of them share the processors.',
		groups: ['portal'],
	},
	{
		heading: 'Questions',
		says: 'The rows are made by the database itself. Each question is asked twenty times, with its count and with the entry of the trail that says so. Entries are recorded in turns with the indexes and without them.',
		groups: ['questions'],
	},
	{
		heading: 'Third parties',
		says: 'Target, proxies, daemon and load are all on one machine, so that it is the ratios that count.',
		groups: ['relay', 'stalls'],
	},
	{
		heading: 'OpenPGP',
		says: 'A message of 100 MB is decrypted, tokenized and encrypted again, each time in a process of its own. `times` is its processor time divided by the sum of what the library takes for the message and the engine for the file.',
		groups: ['pgp'],
	},
	{
		heading: 'A vault that moves',
		says: 'Cards with a name and a reference each are exported for an OpenPGP key, and imported into an empty vault, each in a process of its own. An import reads its file twice: it stores nothing before all of it was judged.',
		groups: ['vault'],
	},
	{
		heading: 'Routes and events',
		says: 'A route collects a file of 100 MB from one SFTP server, tokenizes it and delivers it to another one, all on one machine. `times` is the time that `file tokenize` takes for the same file, divided by that of the route; both begin with no card stored. Then events that have waited are told to a receiver that answers each after 5 ms.',
		groups: ['routes', 'events'],
	},
	{
		heading: 'sFTP beside OpenSSH',
		says: 'Both servers get the same files from the same client with the same key, in turns. Rates include the start of the client and the login. `times` is the rate of Tokendrop divided by that of OpenSSH.',
		groups: ['upload', 'sftp'],
	},
	{
		heading: 'Lengths of files',
		says: 'Small files go up to 200 in a session.',
		groups: ['sizes'],
	},
	{
		heading: 'Sessions at once',
		says: 'All clients are one account (`sftp.maxSessionsPerAccount` is raised for it), each at an address of its own. Memory is the highest resident memory of the daemon during the uploads; of OpenSSH it is the sum of its processes in a run of its own, in which shared memory counts once.',
		groups: ['sessions'],
	},
	{
		heading: 'Drops in a bucket',
		says: 'Two daemons with the same settings get the same file in turns: one stores it on the disk, the other in a bucket of radosgw, which keeps it in memory. Client, daemon and server of the bucket share the processors. `times` is the rate into the bucket divided by that to the disk. Then twenty clients upload to the bucket at once; memory is the highest resident memory of the daemon meanwhile.',
		groups: ['s3'],
	},
	{
		heading: 'A full queue',
		says: 'Ten thousand files of 10 KiB are in the queue when the daemon starts. The rate is that of the jobs that end once its threads have started.',
		groups: ['queue'],
	},
	{
		heading: 'Clients',
		says: 'One file with the programs that people use.',
		groups: ['clients'],
	},
	{
		heading: 'What must not happen',
		says: 'Cards that pass unnoticed, cards found where there are none, and numbers recovered from tokens.',
		groups: ['misses', 'false-findings', 'recovery'],
	},
];

/** Replaces the part of a page that is made from a run. @throws Error if the page has no such part */
export function fillPage(page: string, folder: string, run: BenchRun): string {
	const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
	if (begin < 0 || end < begin) throw new Error('the page has no place for what was measured');
	return `${page.slice(0, begin)}${BEGIN}\n\n${tellRun(run, folder)}\n\n${page.slice(end)}`;
}

function tellRun(run: BenchRun, folder: string): string {
	const parts = [tellMachine(run, folder)];
	for (const { heading, says, groups } of SECTIONS) {
		const measured = run.groups.filter(({ name }) => groups.some((group) => group === name));
		if (measured.length === 0) continue;
		const drawn = plotsOf(run).filter((plot) => groups.includes(plot.groups.at(-1)!));
		const rows = measured.flatMap((group) => group.rows);
		parts.push(`## ${heading}`, says);
		parts.push(...drawn.map(({ name, title }) => `![${title}](${folder}/${name}.svg)`));
		parts.push(tableOf(rows));
	}
	return parts.join('\n\n');
}

/** Returns the drawings whose groups were all measured in a run. */
export function plotsOf(run: BenchRun): typeof PLOTS {
	return PLOTS.filter(({ groups }) => groups.every((group) => run.groups.some(({ name }) => name === group)));
}

function tellMachine({ machine, startedAt, commit, isChanged, amounts }: BenchRun, folder: string): string {
	const { cores, processor, memoryBytes, kernel, node } = machine;
	const memory = `${(memoryBytes / 2 ** 30).toFixed(0)} GiB`;
	const of = commit === null ? '' : `, commit ${commit.slice(0, 12)}${isChanged ? ' with changes' : ''}`;
	const others = Object.entries(amounts).map(([name, value]) => `\`${name}=${value}\``);
	const lines = [
		`Measured on ${startedAt.slice(0, 10)} with ${cores} cores (${processor}), ${memory} of memory, ${kernel}, Node ${node}${of}.`,
		...(others.length > 0
			? [
					`**This run had other amounts than usual (${others.join(', ')}): compare it with runs of the same amounts only.**`,
				]
			: []),
		`Each figure is the median of its runs; [run.json](${folder}/run.json) has every run.`,
	];
	return lines.join('\n');
}

function tableOf(rows: readonly { readonly what: string; readonly result: string; readonly target: string }[]): string {
	const line = (...cells: string[]) => `| ${cells.map(escapeCell).join(' | ')} |`;
	const head = [line(HEAD.what, HEAD.result, HEAD.target), '|---|---|---|'];
	return [...head, ...rows.map(({ what, result, target }) => line(what, result, target))].join('\n');
}

const escapeCell = (text: string) => text.replace(/[&<|*_`[\]\\]/g, (each) => `&#${each.charCodeAt(0)};`);
