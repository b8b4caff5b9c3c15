// The answers of browsers come from anybody who is signed in, so long ones are not read.

import test from 'ava';
import { readNewPasskey } from '../../src/people/portal-users/factors/passkeys.ts';

const SITE = { baseUrl: 'https://vault.example' };

/** Returns an answer whose CBOR is a map of so many numbers. */
function answerOf(members: number): { readonly answer: unknown; wasRead(): boolean } {
	const bytes = Buffer.alloc(5 + members * 6);
	bytes[0] = 0xba;
	bytes.writeUInt32BE(members, 1);
	for (let nth = 0; nth < members; nth++) {
		bytes[5 + nth * 6] = 0x1a;
		bytes.writeUInt32BE(100_000 + nth, 6 + nth * 6);
	}
	let count = 0;
	const clientDataJSON = { type: 'webauthn.create', challenge: 'abc', origin: SITE.baseUrl };
	const response = {
		clientDataJSON: Buffer.from(JSON.stringify(clientDataJSON)).toString('base64url'),
		get attestationObject() {
			count++;
			return bytes.toString('base64url');
		},
	};
	const answer = { id: 'AA', rawId: 'AA', type: 'public-key', clientExtensionResults: {}, response };
	// The size of the answer is taken once, and the library reads it again.
	return { answer, wasRead: () => count > 1 };
}

test('an answer of more than 64 KiB is no passkey, and its CBOR is not read', async (t) => {
	const usual = answerOf(1_000);
	t.is(await readNewPasskey(SITE, 'abc', usual.answer), undefined);
	t.true(usual.wasRead());
	const long = answerOf(100_000);
	t.is(await readNewPasskey(SITE, 'abc', long.answer), undefined);
	t.false(long.wasRead());
});
