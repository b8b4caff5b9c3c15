import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { openCommandRunner } from '../helpers/run-command.ts';
import { example, folder, MIR, SAMPLES } from './format.setup.ts';

test('check runs the laws over samples, of the examples without a fault', async (t) => {
	const run = openCommandRunner(t, {}, { isReady: false });
	const { code, json } = await run('format', 'check', MIR, '--samples', SAMPLES);
	t.is(code, 0);
	t.deepEqual(
		json.samples.map(({ sample, cards, broken }: { sample: string; cards: number; broken: unknown[] }) => [
			sample,
			cards,
			broken,
		]),
		[
			['host-masked.mir', 0, []],
			['one-card.mir', 1, []],
			['two-records.mir', 2, []],
		],
	);
	const template = await run('format', 'check', example('template.mjs'), '--samples', example('samples/template'));
	t.is(template.code, 0, template.stdout);
});

test('check tells which law a plugin breaks, and no content of the sample', async (t) => {
	const run = openCommandRunner(t, {}, { isReady: false });
	const [plugins, samples] = [folder(t), folder(t)];
	writeFileSync(join(samples, 'a.txt'), 'A 4111111111111111 1230\nB 5555555555554444 1130\n');
	const lawsOf = async (body: string, before = '') => {
		const file = join(plugins, 'p.mjs');
		writeFileSync(
			file,
			`${before}export default { filter: 'BROKEN', title: 't', open(direction) { return { scan(bytes, isLast) { ${body} } }; } };`,
		);
		const { code, json, stdout } = await run('format', 'check', file, '--samples', samples);
		t.is(code, 1, body);
		t.notRegex(stdout, /4111|5555/);
		return json.samples[0].broken.map(({ law }: { law: string }) => law).join('\n');
	};
	// It takes the end of a window for the end of a card.
	const half = 'const at = bytes.indexOf(52); const end = Math.min(at + 16, bytes.length);';
	t.regex(
		await lawsOf(`${half} return { settled: bytes.length, cards: at < 0 ? [] : [{ number: [at, end] }] };`),
		/windows/,
	);
	// It finds nothing on the way back.
	const all =
		"let s = ''; for (const b of bytes) s += String.fromCharCode(b); const end = isLast ? s.length : s.lastIndexOf('\\n') + 1;";
	const cards =
		'const cards = [...s.slice(0, end).matchAll(/\\d{16}/g)].map((m) => ({ number: [m.index, m.index + 16] }));';
	t.regex(await lawsOf(`${all} ${cards} return { settled: end, cards };`), /detokenizing gives the same file/);
	t.regex(
		await lawsOf('return { settled: bytes.length, cards: [{ number: [0, 1000] }] };'),
		/answers keep the contract/,
	);
	t.regex(
		await lawsOf('if (bytes.length < 30) throw 1; return { settled: bytes.length };'),
		/answers keep the contract/,
	);
});
