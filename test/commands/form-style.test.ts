import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { makeFolder } from '../helpers/file-parts.ts';
import { openCommandRunner } from '../helpers/run-command.ts';

test('a style sheet of forms is stored, shown and removed; only what is safe is used', async (t) => {
	const run = openCommandRunner(t);
	await run('account', 'create', '--user-id', 'acme');
	const file = join(makeFolder(t), 'forms.css');
	const style = (verb: string, ...more: string[]) => run('form-style', verb, '--user-id', 'acme', ...more);
	writeFileSync(file, 'button { background: #0a7 } @import "x"; input[value="4"] { color: red }');
	const set = await style('set', file);
	t.deepEqual(set.json, { userId: 'acme', name: 'default', used: '.tokendrop button{background:#0a7}' });
	t.like((await style('show')).json, [{ name: 'default' }]);
	t.is((await style('remove')).code, 0);
	t.deepEqual((await style('show')).json, []);
	t.is((await style('remove')).code, 1);
	writeFileSync(file, '@import "x"');
	t.like(await style('set', file), { code: 1, json: { error: { reason: 'bad-input-data' } } });
	t.is((await style('set', file, '--name', '../x')).code, 1);
});
