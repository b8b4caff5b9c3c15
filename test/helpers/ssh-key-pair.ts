import { ssh2 } from '../../src/base/ssh/ssh2.ts';

export interface SshKeyPair {
	/** The private key in OpenSSH's format. */
	readonly private: string;
	/** The public key as a line of `authorized_keys`. */
	readonly public: string;
}

/** Makes an Ed25519 key. ssh2 cannot read one in 256 of its own keys; such a key is made anew. */
export function makeSshKeyPair(comment = ''): SshKeyPair {
	for (;;) {
		const pair = ssh2.utils.generateKeyPairSync('ed25519', { comment });
		if (!(ssh2.utils.parseKey(pair.private) instanceof Error)) return pair;
	}
}
