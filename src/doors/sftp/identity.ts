/**
 * Decides who may log in. The daemon implements this interface with its accounts. `P` is the type of the value from which
 * the daemon later opens the tree of an account. Both look-ups answer null for every refusal alike, and should take the
 * same time for an unknown user as for a wrong password. A look-up is not yet a login: a key is also looked up when it
 * is only offered, before its signature is checked.
 */
export interface SftpIdentity<P> {
	byPassword(login: { userName: string; password: string; address: string }): Promise<P | null>;
	/** Finds an active account with this key (an SSH wire blob). The caller checks the signature, before or after. */
	byPublicKey(login: { userName: string; algorithm: string; key: Buffer; address: string }): Promise<P | null>;
	/**
	 * This function is called when the credential of a login is proven and the session has a slot. If the promise
	 * resolves, the session opens; if it rejects, the session does not open.
	 */
	noteLogin(login: { principal: P; address: string }): Promise<void>;
	/**
	 * This function is called when a login was attempted and refused, or when a key was offered that the account does not
	 * have. It must not throw or take long.
	 */
	noteRefusal(login: RefusedLogin<P>): void;
}

export interface RefusedLogin<P> {
	/** The user name as the client gave it. It has a length limit and may belong to no user. */
	readonly userName: string;
	readonly address: string;
	readonly method: 'password' | 'publickey';
	/** With `unknown key`, the key was only offered, which is no attempt to log in. */
	readonly reason: 'wrong credential' | 'bad signature' | 'too many sessions' | 'shut out' | 'unknown key';
	/**
	 * The principal to whom the named credential belongs, whether or not the client proved that it has the credential;
	 * null if there is no such principal.
	 */
	readonly principal: P | null;
	/** The password of the attempt, to find out which user it belongs to. It must never be stored or logged. */
	readonly password?: string;
	/** The fingerprint of the key with which the client tried to log in. */
	readonly fingerprint?: string;
}
