// Checks docs/operators.md: its commands are typed into a shell beside a daemon, and its roles are those of the code.

import test from 'ava';
import { commandRules } from '../../src/people/operators/roles.ts';
import { page } from './operators.setup.ts';

test('the table of roles is that of the code', (t) => {
	const rows = Object.entries(commandRules).map(
		([name, { role, forTwo }]) => `| \`${name}\` | ${role} | ${forTwo ?? 'no'} |`,
	);
	t.deepEqual(
		page.text.split('\n').filter((line) => /^\| `[a-z]/.test(line)),
		rows,
	);
});
