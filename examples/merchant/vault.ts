// Makes the two calls that the shop's server needs from the vault.

export interface VaultOptions {
	/** The address of the vault without a slash at its end. */
	readonly vaultUrl: string;
	/** The API key that charges cards. */
	readonly apiKey: string;
	/**
	 * The API key that makes session tokens for pages. Whoever opens the page can read such a token for five minutes, so
	 * its key should have the permission `Tokenize` alone.
	 */
	readonly formKey: string;
}

export interface Charge {
	readonly orderId: string;
	readonly token: string;
	readonly amount: number;
	readonly currency: string;
}

export function openVault({ vaultUrl, apiKey, formKey }: VaultOptions) {
	const call = async (path: string, key: string, headers: Record<string, string> = {}, body?: object) => {
		const answer = await fetch(vaultUrl + path, {
			method: 'POST',
			headers: {
				...{ 'x-service-api-key': key, accept: 'application/json' },
				...(body && { 'content-type': 'application/json' }),
				...headers,
			},
			body: body && JSON.stringify(body),
		});
		if (!answer.ok) throw new Error(`the vault answered ${answer.status}`);
		return answer.text();
	};
	return {
		/** Returns a token with which a page may open a form within five minutes. */
		makeSessionToken: () => call('/api/payments/paycard/tempsession', formKey),
		/** Charges a card and returns the result, such as `Success` or `Rejected`. */
		async charge({ orderId, token, amount, currency }: Charge): Promise<string> {
			const order = { OperationType: 'Charge', CardToken: token, Amount: amount, Currency: currency, MyRef: orderId };
			// The idempotency key keeps a repeated call from charging twice.
			const once = { 'idempotency-key': `${orderId}:${token}` };
			const text = await call('/api/paymentGateway', apiKey, once, { ...order, PaymentGateway: { Name: 'Sandbox' } });
			return (JSON.parse(text) as { OperationResultCode: string }).OperationResultCode;
		},
	};
}
