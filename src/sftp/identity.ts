/**
 * Who may log in; the daemon implements it over its accounts. `P` is whatever it needs later to open that account's tree.
 * Both look-ups answer null for every refusal alike, and should take the same time for an unknown user as for a wrong
 * password. Neither is a login yet: a key is looked up for a mere offer too, and before its signature is checked.
 */
export interface SftpIdentity<P> {
	byPassword(login: { userName: string; password: string; address: string }): Promise<P | null>;
	/** The account is active and has this key (an SSH wire blob). The signature is checked by the caller, before or after. */
	byPublicKey(login: { userName: string; algorithm: string; key: Buffer; address: string }): Promise<P | null>;
	/** The credential is proven and there is a place for the session, which opens when this settles and not if it fails. */
	noteLogin(login: { principal: P; address: string }): Promise<void>;
	/** A login was tried and refused; mere offers of keys are none. Must not throw, nor take long. */
	noteRefusal(login: RefusedLogin<P>): void;
}

export interface RefusedLogin<P> {
	/** As the client gave it: bounded, and nobody's name perhaps. */
	readonly userName: string;
	readonly address: string;
	readonly method: 'password' | 'publickey';
	readonly reason: 'wrong credential' | 'bad signature' | 'too many sessions' | 'shut out';
	/** Of the credential that was named, proven or not. */
	readonly principal: P | null;
	/** What was tried, to find out whose it was; never to be stored or logged. */
	readonly password?: string;
}
