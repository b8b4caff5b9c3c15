// Names of messages, and a message that goes through the threads both ways. GnuPG is met in messages.slow.test.ts.

import { isMessageName, nameOfMessage, otherOutputName, plainName } from '../../src/base/openpgp/message-names.ts';
import { testNeeding } from '../helpers/test-needing.ts';
import { CLEAR, openParts } from './messages.setup.ts';

const test = testNeeding('GnuPG (gnupg)');

test('what is encrypted and signed is decrypted and verified', async (t) => {
	const { own, encrypt, decrypt } = await openParts(t);
	const [us] = [{ name: 'own', armored: own.publicKey }];
	const { received } = await encrypt(CLEAR, [us], { signer: { name: 'own', armored: own.secretKey! } });
	t.false(received.includes('4111'));
	const back = await decrypt(received, { signers: [us], unsigned: 'refuse' });
	t.is(back.refused, undefined);
	t.true(back.received.equals(CLEAR));
	received[received.length - 1] ^= 1;
	const { refused, told } = await decrypt(received);
	t.regex(refused ?? '', /cut or changed/);
	t.deepEqual(told, { code: 'pgp-message-damaged' }, 'the thread says it to pages, too');
	const foreign = await encrypt(CLEAR, [us], { signer: { name: 'own', armored: own.secretKey! } });
	const { told: signed } = await decrypt(foreign.received, { signers: [], unsigned: 'refuse' });
	t.is(signed?.code, 'pgp-message-of-others');
});

test('names lose and gain the ending of a message', (t) => {
	t.deepEqual(['a.csv.pgp', 'a.csv.GPG', 'a.csv', '.pgp'].map(isMessageName), [true, true, false, false]);
	t.is(plainName('may.csv.gpg'), 'may.csv');
	t.is(nameOfMessage('a.csv.pgp', { decrypted: true, encrypted: false }), 'a.csv');
	t.is(nameOfMessage('a.csv.gpg', { decrypted: true, encrypted: true }), 'a.csv.gpg');
	t.is(nameOfMessage('a.csv', { decrypted: false, encrypted: true }), 'a.csv.pgp');
	t.is(nameOfMessage('a.csv', { decrypted: true, encrypted: false }), 'a.csv');
	t.deepEqual(['a.csv', 'a.csv.pgp'].map(otherOutputName), ['a.csv.pgp', 'a.csv']);
});
