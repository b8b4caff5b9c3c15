// Checks docs/portal.md: its table of rights is that of the code.

import { readFileSync } from 'node:fs';
import test from 'ava';
import { RIGHTS, ROLE_RIGHTS } from '../../src/people/portal-users/rights.ts';

const page = readFileSync(new URL('../../docs/portal.md', import.meta.url), 'utf8');
const ROLES = ['viewer', 'clerk', 'developer', 'manager', 'operator'] as const;

test('the table of rights is that of the code', (t) => {
	const rows = [...page.matchAll(/^\| `([a-z]+\.[a-z]+)` \|(.*)\|$/gm)].map(([, right, cells]) => ({
		right,
		roles: ROLES.filter((_, index) => cells.split('|')[index].trim() === 'yes'),
	}));
	t.deepEqual(
		rows,
		RIGHTS.map((right) => ({ right, roles: ROLES.filter((role) => ROLE_RIGHTS[role].has(right)) })),
	);
});
