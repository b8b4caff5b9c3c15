// The demonstration shows every format and a route, without anything but OpenSSH's client.

import { formats } from '../../formats/index.ts';
import { runDemo } from '../../src/app/demo/demo.ts';
import { testNeeding } from '../helpers/test-needing.ts';

testNeeding('OpenSSH (openssh-client)')('every file comes back as it went, and so does one by a route', async (t) => {
	const said: string[] = [];
	const rows = await runDemo((text) => void said.push(text), new AbortController().signal);
	t.deepEqual(
		rows.map(({ file }) => file.replace(/\/.*/, '').replace(/ .*/, '')),
		[...formats.keys(), 'route'],
	);
	for (const row of rows) t.like(row, { isIdentical: true }, row.file);
	t.true(rows.at(-1)!.cards > 0);
	t.true(said.some((text) => text.startsWith('a route that collects from out/')));
});
