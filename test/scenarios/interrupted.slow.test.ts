// Somebody interrupts a command: nothing half-written is left, one line is said, and the exit code tells.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, globSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { listCommands } from '../helpers/command-list.ts';
import { type Installation, startInstallation } from '../helpers/daemon.ts';
import { run } from '../helpers/ssh-clients.ts';
import { until } from '../helpers/until.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
const INTERRUPTED_WRITER = fileURLToPath(new URL('../helpers/interrupted-writer.cjs', import.meta.url));
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
const CARDS = 500;
const NUMBER = '4111111111111111';
const table = `name,card\n${`Ann,${NUMBER}\n`.repeat(CARDS)}`;

/** Begins a command whose input is a named pipe, and sends the beginning of a file through it. */
function begin(
	t: ExecutionContext,
	{ folder, tmpDir, variables }: Installation,
	argv: string[],
	bytes: Buffer | string,
) {
	const pipe = join(folder, 'pipe');
	execFileSync('mkfifo', [pipe]);
	const env = { ...process.env, TOKENDROP_TRANSFER_WINDOW_BYTES: '65536', ...variables };
	const child = spawn(process.execPath, ['--no-warnings', MAIN, ...argv], { env, stdio: ['ignore', 'pipe', 'pipe'] });
	const beginning = join(tmpDir, 'beginning');
	writeFileSync(beginning, bytes);
	// The pipe stays open after that, so that the command waits for more.
	const sender = spawn('sh', ['-c', 'exec > "$1"; cat "$2"; exec sleep 60', 'sh', pipe, beginning]);
	t.teardown(() => [sender, child].map((each) => each.kill('SIGKILL')));
	let said = '';
	for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (said += text));
	return {
		async interrupt(signal: 'SIGINT' | 'SIGTERM') {
			const closed = once(child, 'close');
			child.kill(signal);
			return { code: (await closed)[0] as number | null, said };
		},
	};
}

for (const signal of SIGNALS) {
	test.serial(`${signal} at a command that detokenizes leaves no clear number and no file`, async (t) => {
		const { installation } = await startInstallation(t);
		const { folder, demo } = installation;
		const [clear, tokens, out] = ['clear.csv', 'tokens.csv', 'out.csv'].map((name) => join(folder, name));
		writeFileSync(clear, table);
		const ofAccount = ['--user-id', demo.userId, '--filter', 'SIMPLECSV'];
		await installation.json('file', 'tokenize', ...ofAccount, clear, tokens);
		const rows = readFileSync(tokens, 'latin1');
		const [header] = rows.split('\n');
		const many = `${header}\n${rows.slice(header.length + 1).repeat(20)}`;
		const running = begin(
			t,
			installation,
			['file', 'detokenize', ...ofAccount, '--report', join(folder, 'report.json'), join(folder, 'pipe'), out],
			many,
		);
		const partial = () => readdirSync(folder).find((name) => name.startsWith('.out.csv.'));
		await until('clear numbers are written', async () => {
			const name = partial();
			return name !== undefined && statSync(join(folder, name)).size > 0;
		});
		t.true(readFileSync(join(folder, partial()!), 'latin1').includes(NUMBER));
		const { code, said } = await running.interrupt(signal);
		t.is(code, 130, said);
		t.is(said, `interrupted by ${signal}: the command did not finish\n`);
		t.deepEqual(readdirSync(folder).sort(), ['clear.csv', 'pipe', 'tokens.csv']);
	});
}

test.serial('an interrupted import keeps the rows whose cards are stored, and says so under --json too', async (t) => {
	const { installation } = await startInstallation(t);
	const { folder, demo } = installation;
	const out = join(folder, 'out.csv');
	const argv = ['token', 'import', '--json', '--user-id', demo.userId, join(folder, 'pipe'), out];
	const cards = `card,ExpirationDate\n${`${NUMBER},1230\n`.repeat(CARDS)}`;
	const running = begin(t, installation, argv, cards);
	await until('rows are written', async () => readdirSync(folder).includes('out.csv') && statSync(out).size > 0);
	const { code, said } = await running.interrupt('SIGINT');
	t.is(code, 130, said);
	t.deepEqual(JSON.parse(said), {
		error: { reason: 'interrupted', message: 'interrupted by SIGINT: the command did not finish' },
	});
	const rows = readFileSync(out, 'latin1').split('\n');
	t.is(rows.at(-1), '', 'whole rows');
	t.is(rows.length - 2, CARDS - 1, 'all but the last one, which more may still follow');
});

/** How a command is interrupted that writes a file. */
interface Story {
	readonly command: string;
	/** How the path ends of the file that is being written when the signal comes. */
	readonly written: string;
	readonly argv: readonly string[];
	/** The files that stay although the command was interrupted, below the folder of the files. */
	readonly keeps?: readonly string[];
	/** Other variables of the installation, by name; the value is below the folder of the files. */
	readonly variables?: Readonly<Record<string, string>>;
}

const ofFile = ['--user-id', 'demo', '--filter', 'SIMPLECSV', '--report', 'report.json'];

const ofKey = ['--pgp-key', 'own', '--key-of', 'demo'];
/** Stands for the fingerprint of the key that the stories use. */
const FINGERPRINT = 'FINGERPRINT';

/** Every command that writes a file, interrupted at each kind of file. Paths are below the folder of the files. */
const STORIES: readonly Story[] = [
	{ command: 'file tokenize', written: '.partial', argv: [...ofFile, 'clear.csv', 'out.csv'] },
	{ command: 'file detokenize', written: '.partial', argv: [...ofFile, 'tokens.csv', 'out.csv'] },
	{
		command: 'token import',
		written: 'out.csv',
		argv: ['--user-id', 'demo', 'cards.csv', 'out.csv'],
		keeps: ['out.csv'],
	},
	{ command: 'token export', written: 'out.csv', argv: ['--user-id', 'demo', 'out.csv'] },
	{ command: 'audit export', written: 'trail.jsonl', argv: ['trail.jsonl'] },
	{ command: 'vault export', written: 'out.pgp', argv: [...ofKey, '--fingerprint', FINGERPRINT, 'out.pgp'] },
	{ command: 'vault import', written: 'report.csv', argv: [...ofKey, '--report', 'report.csv', 'vault.pgp'] },
	...['ssh_host_rsa_key.partial', 'database.sqlite.partial'].map((written) => ({
		...{ command: 'backup create', written, argv: ['new-backup'] },
	})),
	...['audit-heads.jsonl.partial', 'database.sqlite.partial'].map((written) => ({
		...{ command: 'backup create', written, argv: ['stale-backup'] },
	})),
	...['ssh_host_rsa_key.partial', 'tokendrop.sqlite.partial'].map((written) => ({
		...{ command: 'backup restore', written, argv: ['backup'] },
		variables: { TOKENDROP_DATA_DIR: 'restored', TOKENDROP_DATABASE_URL: 'sqlite:restored/tokendrop.sqlite' },
	})),
];

/** Commands that write files and are interrupted in tests of their own, or not at all. */
const OTHERS = {
	// Its test stands below.
	demo: 'src/app/demo/demo.ts',
	// The daemon, which is stopped (test/scenarios/stop.slow.test.ts).
	serve: 'src/app/watches/last-settings.ts',
} as const;

/** The files of commands that write into a file which a person names, and the commands that they belong to. */
const WRITERS: Readonly<Record<string, readonly string[]>> = {
	'src/commands/installation/audit.ts': ['audit export'],
	'src/commands/work/token.ts': ['token export', 'token import'],
	'src/commands/installation/vault.ts': ['vault export', 'vault import'],
	'src/commands/new-file.ts': ['audit export', 'token export', 'token import', 'vault export', 'vault import'],
	'src/installation/backup/backup.ts': ['backup create', 'backup restore'],
	'src/installation/backup/backup-files.ts': ['backup create', 'backup restore'],
	'src/installation/files/local-streams.ts': ['file tokenize', 'file detokenize'],
	'src/installation/files/local-report.ts': ['file tokenize', 'file detokenize'],
	...Object.fromEntries(Object.entries(OTHERS).map(([command, file]) => [file, [command]])),
};

const WRITES = new RegExp(
	[
		String.raw`import (?:\{[^}]*\b(?:open|writeFile|appendFile|copyFile|cp|rename|link|mkdtemp|createWriteStream)(?:Sync)?\b[^}]*\}|[\w*]+(?: as \w+)?) from 'node:fs(?:/promises)?'`,
		String.raw`from '[^']*/new-file\.ts'`,
		String.raw`\b(?:createDurably|replaceDurably|appendDurably|backupSqlite)\b`,
	].join('|'),
);

test('every command that writes a file is interrupted in a test', async (t) => {
	const root = fileURLToPath(new URL('../../', import.meta.url));
	const files = globSync('src/{commands,app,installation}/**/*.ts', { cwd: root });
	const writing = files.filter((file) => WRITES.test(readFileSync(join(root, file), 'utf8')));
	t.deepEqual(writing.toSorted(), Object.keys(WRITERS).toSorted(), 'say here which commands a new file belongs to');
	const told = new Set([...STORIES.map(({ command }) => command), ...Object.keys(OTHERS)]);
	t.deepEqual([...new Set(Object.values(WRITERS).flat())].sort(), [...told].sort());
	const commands = await listCommands();
	t.deepEqual(
		[...told].filter((command) => !commands.includes(command)),
		[],
	);
});

/**
 * Makes everything that the stories read: a table, its tokens, cards to import, a backup, one that is out of date, and a key
 * with an export for it. Returns the fingerprint of the key.
 */
async function fill({ folder, json }: Installation): Promise<string> {
	const at = (name: string) => join(folder, name);
	writeFileSync(at('clear.csv'), table);
	// More cards than an import stores in two steps.
	writeFileSync(at('cards.csv'), `card,ExpirationDate\n${`${NUMBER},1230\n`.repeat(60 * CARDS)}`);
	await json('backup', 'create', at('stale-backup'));
	await json('file', 'tokenize', ...ofFile.slice(0, 4), at('clear.csv'), at('tokens.csv'));
	await json('backup', 'create', at('backup'));
	const { fingerprint } = await json('pgp-key', 'create', '--user-id', 'demo', '--name', 'own');
	await json('vault', 'export', ...ofKey, '--fingerprint', fingerprint, at('vault.pgp'));
	// The file of the lock is made by the first import.
	await json('vault', 'import', ...ofKey, '--dry-run', at('vault.pgp'));
	return fingerprint;
}

const namesUnder = (folder: string) =>
	readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
		.sort();

for (const signal of SIGNALS) {
	test.serial(`${signal} at any command that writes a file leaves what was there before`, async (t) => {
		const { installation, daemon } = await startInstallation(t);
		const { folder, tmpDir, variables } = installation;
		const fingerprint = await fill(installation);
		await daemon.stop();
		for (const { command, written, argv, keeps = [], variables: others = {} } of STORIES) {
			const place = join(tmpDir, 'story');
			cpSync(folder, place, { recursive: true });
			mkdirSync(join(place, 'restored'));
			const before = namesUnder(place);
			const changed = Object.entries(others).map(([name, value]) => [
				name,
				value.replace('restored', join(place, 'restored')),
			]);
			const env = {
				...{ ...variables, ...Object.fromEntries(changed) },
				...{ TEST_SIGNAL: signal, TEST_WRITTEN: written, TOKENDROP_TRANSFER_WINDOW_BYTES: '65536' },
				NODE_OPTIONS: `--require ${INTERRUPTED_WRITER}`,
			};
			const words = argv.map((word) => (word === FINGERPRINT ? fingerprint : word));
			const line = ['--no-warnings', MAIN, ...command.split(' '), ...words];
			const { code, stdout, stderr } = await run(process.execPath, line, { env, cwd: place });
			const what = `${command} at ${written} into ${argv.at(-1)}`;
			t.is(code, 130, `${what}: ${stderr}`);
			t.is(stdout + stderr, `interrupted by ${signal}: the command did not finish\n`, what);
			const after = namesUnder(place).filter((name) => name !== 'restored/daemon.lock');
			t.deepEqual(after, [...before, ...keeps].sort(), what);
			for (const backup of ['backup', 'stale-backup'])
				t.is((await installation.command('backup', 'verify', join(place, backup))).code, 0, `${what}: ${backup}`);
			execFileSync('rm', ['-r', place]);
		}
	});
}

test.serial('SIGTERM at the demonstration ends its daemon and removes its folder', async (t) => {
	const { installation } = await startInstallation(t);
	const env = { ...process.env, TMPDIR: installation.tmpDir };
	const child = spawn(process.execPath, ['--no-warnings', MAIN, 'demo'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
	t.teardown(() => child.kill('SIGKILL'));
	let said = '';
	child.stderr.setEncoding('utf8').on('data', (text) => (said += text));
	const closed = once(child, 'close');
	const found = () => globSync('tokendrop-demo-*/askpass.sh', { cwd: installation.tmpDir });
	await until('the demonstration has begun', () => found().length > 0);
	child.kill('SIGTERM');
	const [code] = await closed;
	t.is(code, 130, said);
	t.regex(said, /\ninterrupted by SIGTERM: the command did not finish\n$/);
	t.deepEqual(globSync('tokendrop-demo-*', { cwd: installation.tmpDir }), []);
});
