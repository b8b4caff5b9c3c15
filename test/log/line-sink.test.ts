import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { LineSink } from '../../src/base/log/line-sink.ts';
import { OWN_FIELDS, openLogger, ownText } from '../../src/base/log/log.ts';
import { makeFolder } from '../helpers/file-parts.ts';
import { until } from '../helpers/until.ts';

/** Opens a named pipe that does not block its writer. */
function openPipe(t: ExecutionContext) {
	const path = join(makeFolder(t), 'pipe');
	execFileSync('mkfifo', [path]);
	const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
	const writer = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
	let isRead = true;
	const hangUp = () => {
		if (isRead) closeSync(reader);
		isRead = false;
	};
	t.teardown(() => {
		hangUp();
		closeSync(writer);
	});
	const readAll = () => {
		const bytes = Buffer.alloc(1024 * 1024);
		try {
			return bytes.toString('utf8', 0, readSync(reader, bytes));
		} catch {
			return '';
		}
	};
	return { writer, hangUp, readAll };
}

test('on a full disk lines are dropped and counted', (t) => {
	const full = openSync('/dev/full', 'w');
	t.teardown(() => closeSync(full));
	const sink = new LineSink(full);
	const logger = openLogger({ level: 'info', destination: sink });
	t.is(sink.dropped, 0);
	for (let i = 0; i < 5; i++) t.notThrows(() => logger.info({ i }, 'nobody will read this'));
	t.is(sink.dropped, 5);
	t.true(sink.isFailing);
});

test('after the reader of the log has gone, lines are dropped and counted', (t) => {
	const { writer, hangUp } = openPipe(t);
	const sink = new LineSink(writer);
	sink.write('read\n');
	hangUp();
	for (let i = 0; i < 3; i++) t.notThrows(() => sink.write('unread\n'));
	t.is(sink.dropped, 3);
});

test('a reader that hangs holds up one line, and the first line after it says how many are missing', (t) => {
	const { writer, readAll } = openPipe(t);
	const sink = new LineSink(writer);
	const line = `${JSON.stringify({ msg: 'x'.repeat(1000) })}\n`;
	for (let i = 0; i < 2000; i++) sink.write(line);
	const written = 2000 - sink.dropped;
	t.true(sink.isFailing && written > 0 && sink.dropped > 1000, `${sink.dropped} lines were dropped`);
	let read = readAll();
	const last = `${JSON.stringify({ msg: 'the reader is back' })}\n`;
	sink.write(last);
	t.false(sink.isFailing);
	read += readAll();
	const lines = read.trimEnd().split('\n');
	t.deepEqual(JSON.parse(lines.at(-1)!), JSON.parse(last));
	t.like(JSON.parse(lines.at(-2)!), {
		level: 'error',
		dropped: sink.dropped,
		msg: 'log lines could not be written and were dropped',
	});
	t.true(
		lines.slice(0, -3).every((text) => `${text}\n` === line),
		'a line that was cut is alone on its line',
	);
	t.true(lines.length - 2 - written <= 1);
	sink.write(last);
	t.is(readAll(), last, 'it is said once');
});

test('sinks of several threads count together', (t) => {
	const full = openSync('/dev/full', 'w');
	t.teardown(() => closeSync(full));
	const good = join(makeFolder(t), 'log');
	const file = openSync(good, 'a');
	t.teardown(() => closeSync(file));
	const one = new LineSink(full);
	const other = new LineSink(file, one.shared);
	one.write('lost\n');
	t.is(other.dropped, 1);
	t.true(other.isFailing);
	other.write('kept\n');
	t.false(one.isFailing);
	t.is(readFileSync(good, 'utf8'), 'kept\n', 'what another thread has dropped is told by that thread');
});

test('lines that may wait are written together, in their order, before the next urgent one and at the end', async (t) => {
	const { writer, readAll } = openPipe(t);
	const logger = openLogger({ level: 'info', destination: new LineSink(writer), isGathered: true });
	const said = () =>
		readAll()
			.split('\n')
			.filter((line) => line !== '')
			.map((line) => JSON.parse(line).msg);
	for (const text of ['one', 'two']) logger.info(text);
	t.deepEqual(said(), [], 'nothing is written yet');
	logger.child({ process: 1 }).warn('three');
	t.deepEqual(said(), ['one', 'two', 'three']);
	logger.info('four');
	const read: string[] = [];
	await until('the line is written', () => read.push(...said()) > 0);
	t.deepEqual(read, ['four']);
	const log = new URL('../../src/base/log/log.ts', import.meta.url).href;
	const program = `
		const { openLogger } = await import('${log}');
		openLogger({ level: 'info', isGathered: true }).info('the last line');
		process.exit(3);`;
	const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
	t.is(status, 3);
	t.is(JSON.parse(stderr).msg, 'the last line');
});

test('of lines that were written together, those that did not fit are counted', (t) => {
	const { writer, readAll } = openPipe(t);
	const sink = new LineSink(writer);
	const line = `${'x'.repeat(999)}\n`;
	for (let i = 0; i < 2000; i++) sink.gather(line);
	sink.flush();
	const read = readAll();
	const whole = read.split('\n').filter((text) => `${text}\n` === line).length;
	t.true(sink.isFailing && whole > 0);
	t.is(sink.dropped, 2000 - whole);
});

test('what came from outside is masked in own fields, and a line without the mark is searched whole', (t) => {
	const { writer, readAll } = openPipe(t);
	const sink = new LineSink(writer);
	const logger = openLogger({ level: 'info', destination: sink, isGathered: true, bindings: { process: 1 } });
	const number = '4111111111111111';
	logger.info({ [OWN_FIELDS]: true, user: ownText(number), again: ownText(number) }, 'of a call');
	logger.info({ user: number }, 'another');
	logger.child({}).info({ user: number }, 'of a child');
	sink.flush();
	const lines = readAll().trimEnd().split('\n');
	t.is(lines.length, 3);
	for (const line of lines) t.true(!line.includes(number) && line.includes('411111******1111'), line);
	t.is(JSON.parse(lines[0]).process, 1);
});
