// Somebody interrupts a command: nothing half-written is left, one line is said, and the exit code tells.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { type Installation, startInstallation } from '../helpers/daemon.ts';
import { until } from '../helpers/until.ts';

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url));
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

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
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
