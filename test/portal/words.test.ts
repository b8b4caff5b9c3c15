// Tests that refusals of the portal say what is lacking and who gives it, and that a whole number is no last four digits.

import test from 'ava';
import { openPortalApp } from '../helpers/portal-app.ts';

test('who lacks a right is told which, which roles have it, and who gives them', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	const { statusCode, body } = await clerk.get('/portal/people');
	t.is(statusCode, 403);
	t.true(body.includes('Your role (Clerk) does not include the right people.see. These roles do: Manager.'));
	const german = await parts.signIn('viewer', { language: 'de' });
	t.true((await german.get('/portal/access')).body.includes('Diese Rollen umfassen es: Entwickler'));
});

test('who lacks a second factor is told so in place of a missing role', async (t) => {
	const parts = await openPortalApp(t);
	const weak = await parts.signIn('manager', { hasSecondFactor: false });
	const { statusCode, body } = await weak.get('/portal/files/detokenized/CSV/download?name=x.csv');
	t.is(statusCode, 403);
	t.true(body.includes('only in a session with a second factor'));
});

test('a whole card number that is pasted where four digits are wanted is refused and not cut to four', async (t) => {
	const parts = await openPortalApp(t);
	const clerk = await parts.signIn('clerk');
	t.notRegex((await clerk.get('/portal/cards')).body, /name="last4"[^>]*maxlength/);
	const refused = await clerk.post('/portal/cards', { last4: '4111111111111111' });
	t.is(refused.statusCode, 400);
	t.true(refused.body.includes('Never type one here'));
	t.false(refused.body.includes('4111111111111111'));
});
