// Defines the settings of the HTTP interface. Whatever needs some of them names them with `Pick`.

export interface HttpSettings {
	readonly environment: 'sandbox' | 'production';
	/** The public URL without a slash at the end; token URIs begin with it. */
	readonly baseUrl: string;
	readonly bodyLimitBytes: number;
	readonly requestTimeoutMs: number;
	/** True if in production, too, a CVV policy may keep a CVV longer or for more uses than the default policy. */
	readonly allowLongCvv?: boolean;
	/** True if partners may have private network addresses. */
	readonly allowPrivate?: boolean;
	/** The port of sFTP that instructions for new users show; 2022 unless given. */
	readonly sftpPort?: number;
	/** The number of seconds after which a page hides a card number again. */
	readonly hideSeconds: number;
	/** The minutes for which a form can be submitted after it was opened; 30 unless given. */
	readonly formMinutes?: number;
}
