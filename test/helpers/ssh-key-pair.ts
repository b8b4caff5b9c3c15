import ssh2 from 'ssh2';

export interface SshKeyPair {
	/** In OpenSSH's format. */
	readonly private: string;
	/** A line of `authorized_keys`. */
	readonly public: string;
}

/** An Ed25519 key. ssh2 makes one in 256 that it cannot read: that one is made anew. */
export function makeSshKeyPair(comment = ''): SshKeyPair {
	for (;;) {
		const pair = ssh2.utils.generateKeyPairSync('ed25519', { comment });
		if (!(ssh2.utils.parseKey(pair.private) instanceof Error)) return pair;
	}
}
