// Makes public keys of people, as their `.pub` files have them.

import { ssh2 } from '../../src/base/ssh/ssh2.ts';
import { generateEd25519Key } from '../../src/doors/sftp/ssh/host-keys.ts';

/** Returns the line of a new key. It does not use `generateKeyPairSync` of ssh2, which cuts one in 256 keys short. */
export function makeSshKeyLine(comment: string): string {
	const key = ssh2.utils.parseKey(generateEd25519Key());
	if (key instanceof Error) throw key;
	return `${key.type} ${key.getPublicSSH().toString('base64')} ${comment}`;
}
