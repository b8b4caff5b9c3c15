/**
 * Who may log in; the daemon implements it over its accounts. `P` is whatever it needs later to open that account's tree.
 * Both answer null for every refusal alike, and should take the same time for an unknown user as for a wrong password.
 */
export interface SftpIdentity<P> {
	byPassword(login: { userName: string; password: string; address: string }): Promise<P | null>;
	/** The account is active and has this key (an SSH wire blob). The signature is checked by the caller, before or after. */
	byPublicKey(login: { userName: string; algorithm: string; key: Buffer; address: string }): Promise<P | null>;
}
