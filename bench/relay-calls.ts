// Makes the calls of relays that are measured, and the cards that they send.

import { cardNumber } from './generate.ts';
import type { RelayLoad } from './relay-load.ts';

/** So many cards are relayed in turn. */
export const TOKENS = 200;

/** Who calls, and for which cards. */
export interface Caller {
	readonly url: string;
	readonly apiKey: string;
	readonly tokens: readonly string[];
}

/** Returns calls that relay the cards in turn. */
export function relayTask(
	{ url, apiKey, tokens }: Caller,
	profileName: string,
	targetUri: string,
	headers: Readonly<Record<string, string>>,
	body: string,
): Pick<RelayLoad, 'url' | 'paths' | 'headers' | 'body'> {
	const query = new URLSearchParams({ profileName, targetUri: `${targetUri}/book` });
	const paths = tokens.map((token) => `/api/payments/paycard/relay?${query}&cardToken=${token}`);
	return { url, paths, headers: { ...headers, 'x-service-api-key': apiKey }, body };
}

/** Stores cards over HTTP, and returns their tokens. */
export async function storeCards(url: string, apiKey: string): Promise<string[]> {
	return Promise.all(
		Array.from({ length: TOKENS }, async (_, n) => {
			const card = { Number: cardNumber(n), ExpirationDate: { Month: '12', Year: '2029' }, NameOnCard: 'A HOLDER' };
			const response = await fetch(`${url}/api/payments/paycard`, {
				method: 'POST',
				headers: { 'x-service-api-key': apiKey, 'content-type': 'application/json' },
				body: JSON.stringify({ BankCard: card }),
			});
			return response.headers.get('location')!.slice(-32);
		}),
	);
}

/** Returns what stands for a token in bodies that are not sent to the daemon. */
export function plainToken(n: number): string {
	return n.toString(16).padStart(32, 'a');
}
