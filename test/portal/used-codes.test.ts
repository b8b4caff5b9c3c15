// Whoever can write to the database cannot make a code of an authenticator app work a second time.

import test from 'ava';
import { Secret, TOTP } from 'otpauth';
import { openFactorChecks } from '../../src/people/portal-users/second-factors.ts';
import { userStore } from '../../src/people/portal-users/user-store.ts';
import { databases } from '../helpers/database.ts';
import { openPortalApp } from '../helpers/portal-app.ts';

const CLIENT = { address: '192.0.2.7', agent: 'test' };
const HALF_MINUTE_MS = 30_000;

for (const dialect of databases) {
	test(`${dialect}: a used code stays used, also if its half minute is set back in the database`, async (t) => {
		const parts = await openPortalApp(t, dialect);
		const { viewer } = await parts.signIn('clerk');
		const secret = Secret.fromBase32((await parts.portal.own.beginApp(viewer))!.secret);
		const codeAt = (halfMinutes: number) =>
			new TOTP({ secret }).generate({ timestamp: parts.clock.now().getTime() + halfMinutes * HALF_MINUTE_MS });
		const checks = openFactorChecks(parts as unknown as Parameters<typeof openFactorChecks>[0]);
		const user = (await userStore(parts.database.knex).findById(viewer.user.id))!;
		const uses = (code: string) => checks.useAppCode(user, code);
		const setBack = () => parts.database.knex('portal_totp').update({ last_step: 0 });

		const first = codeAt(0);
		t.truthy(await parts.portal.own.confirmApp(viewer, first, CLIENT));
		await setBack();
		t.false(await uses(first), 'the code that confirmed the app');
		t.false(await uses(codeAt(-1)), 'a code before it');
		const next = codeAt(1);
		t.true(await uses(next));
		t.false(await uses(next));
		await setBack();
		t.false(await uses(next));
		t.false(await uses(first));
		parts.clock.turn(2 * HALF_MINUTE_MS);
		t.true(await uses(codeAt(0)), 'later codes work');
		const both = codeAt(1);
		const used = await Promise.all([uses(both), uses(both)]);
		t.is(used.filter(Boolean).length, 1, 'one of two at the same moment');
	});
}
