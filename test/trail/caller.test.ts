// Checks what an entry of the trail says of the caller who brought it about.

import test from 'ava';
import { actorOf } from '../../src/people/identity/principal.ts';
import { cleanEntry } from '../../src/trail/entry.ts';

const entry = { action: 'card.store', subject: 'token x' };

test('a caller is named by user, with credential and address among the details', (t) => {
	const actor = actorOf({ userId: 'acme', apiKeyId: 7, address: '192.0.2.1' });
	const clean = cleanEntry({ ...entry, actor, details: { isNew: true } });
	t.is(clean.actor, 'acme');
	t.is(clean.details, '{"address":"192.0.2.1","credential":"api-key 7","isNew":true}');
	const own = cleanEntry({ ...entry, actor, details: { address: '198.51.100.1' } });
	t.is(JSON.parse(own.details).address, '198.51.100.1', 'what the entry says itself stands');
});

test('whoever is no caller has neither', (t) => {
	t.is(cleanEntry({ ...entry, actor: 'daemon' }).details, '{}');
	t.is(cleanEntry({ ...entry, actor: actorOf({ userId: 'acme', sshKeyId: 3 }) }).details, '{"credential":"ssh-key 3"}');
});
