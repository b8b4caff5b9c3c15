// Tests that a form which was refused says in the language of its reader what is wrong with it, and that the exact words of
// the error stand beside, marked as English. English readers get the exact words alone (kinds.test.ts).

import test from 'ava';
import type { FailureCode } from '../../src/base/failures.ts';
import { isTextKey, type PORTAL_LANGUAGES, TEXTS } from '../../src/doors/http/portal/texts.ts';
import { openPortalApp } from '../helpers/portal-app.ts';
import { makeSshKeyLine } from '../helpers/ssh-key-line.ts';

const SSH_KEY = makeSshKeyLine('nightly@travel.example');
const STRIPE = { gateway: 'Stripe', id: 'shop-1' };
const PRIVATE = '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjE\n-----END OPENSSH PRIVATE KEY-----';

/** Forms with something wrong: where they are sent, what they say, and the code of the failure. */
const CASES: readonly [path: string, form: Record<string, string>, code: FailureCode][] = [
	['/portal/people', { name: 'mara@travel.example', role: 'clerk' }, 'already-there'],
	['/portal/people', { name: 'no such name !', role: 'clerk' }, 'name-malformed'],
	['/portal/access/keys', { from: '10.0.0.0/33', 'may-Tokenize': 'yes' }, 'address-range-malformed'],
	['/portal/access/keys', { days: '0', 'may-Tokenize': 'yes' }, 'not-in-range'],
	['/portal/access/keys', {}, 'none-chosen'],
	['/portal/access/ssh', { keys: 'ssh-ed25519 AAAA' }, 'public-key-malformed'],
	['/portal/access/ssh', { keys: PRIVATE }, 'private-key-given'],
	['/portal/access/ssh', { keys: SSH_KEY }, 'already-there'],
	['/portal/access/origins', { origin: 'http://shop.example' }, 'origin-malformed'],
	['/portal/access/origins', { origin: 'https://shop.example' }, 'already-there'],
	['/portal/access/accounts', { userId: '!', kind: 'property' }, 'name-malformed'],
	['/portal/access/accounts', { userId: '4111111111111111', kind: 'property' }, 'like-a-card'],
	['/portal/access/accounts', { userId: 'hotel-1', kind: 'property' }, 'already-there'],
	['/portal/new-event-endpoint', { name: '!', url: 'https://crm.example' }, 'name-malformed'],
	['/portal/new-event-endpoint', { name: 'crm', url: 'ftp://crm.example' }, 'url-malformed'],
	['/portal/new-event-endpoint', { name: 'crm', url: 'https://crm.example/4111111111111111' }, 'like-a-card'],
	['/portal/new-event-mailbox', { to: 'nobody' }, 'mail-address-malformed'],
	['/portal/requests/new', { RecipientEmail: 'nobody' }, 'mail-address-malformed'],
	['/portal/requests/new', { ExpirationMinutes: '0' }, 'not-in-range'],
	['/portal/parties/credentials/save', { ...STRIPE, 'Credentials.SecretKey': 'x' }, 'value-malformed'],
	['/portal/routes/nightly/run', {}, 'route-running'],
];

for (const language of ['de', 'fr', 'es'] as const satisfies readonly (keyof typeof PORTAL_LANGUAGES)[]) {
	test(`what is wrong with a form is said in ${language}`, async (t) => {
		const parts = await openPortalApp(t);
		const manager = await parts.signIn('manager', { name: 'mara@travel.example', language });
		await manager.post('/portal/access/ssh', { keys: SSH_KEY });
		await manager.post('/portal/access/origins', { origin: 'https://shop.example' });
		await manager.post('/portal/access/accounts', { userId: 'hotel-1', kind: 'property' });
		const drop = { from: { drop: '/tokenized/GBT' }, do: { operation: 'none' }, to: { drop: '/tokenized/CSV' } };
		await manager.caller!.inject('PUT', '/api/routes/nightly', { payload: { name: 'nightly', ...drop } });
		t.is((await manager.post('/portal/routes/nightly/run')).statusCode, 303);
		for (const [path, form, code] of CASES) {
			const { statusCode, body } = await manager.post(path, form);
			t.is(statusCode, 400, `${path} ${code}`);
			const key = `failure.codes.${code}`;
			if (!isTextKey(key)) throw new Error(`${key} has no text`);
			const [words] = TEXTS[language][key].split('{');
			t.true(body.includes(words), `${path} ${code}: ${words}`);
			t.regex(body, /<small lang="en">[^<]+<\/small>/, path);
		}
	});
}
