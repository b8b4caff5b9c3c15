// What cvv.test.ts and cvv.slow.test.ts share.

import test, { type ExecutionContext } from 'ava';
import type { Token } from '../../src/vault/tokens/token.ts';
import { storeCard } from '../helpers/card-calls.ts';
import { dialects } from '../helpers/database.ts';
import { type Caller, type HttpApp, openHttpApp } from '../helpers/http-app.ts';

interface Card {
	readonly demo: Caller;
	readonly token: Token;
	readonly card: string;
	readonly policy: string;
}

export async function openCard(parts: HttpApp): Promise<Card> {
	const demo = await parts.createCaller('demo', { cvvRetention: true });
	const token = (await storeCard(demo, '', { CVV: '306' })) as Token;
	const card = `/api/payments/paycard/${token}`;
	return { demo, token, card, policy: `${card}/cvvRetentionPolicy` };
}

export function onBoth(title: string, story: (t: ExecutionContext, parts: HttpApp, card: Card) => Promise<void>) {
	for (const dialect of dialects) {
		test(`${dialect}: ${title}`, async (t) => {
			const parts = await openHttpApp(t, dialect);
			await story(t, parts, await openCard(parts));
		});
	}
}

export const use = async ({ vault }: HttpApp, { demo, token }: Card, data: string) => {
	const place = (await vault.find(demo.account.id, token))!;
	return (await vault.cvvs.use(place, { type: 'HostName', data }))?.digits.toString();
};

export const list = (count: number) =>
	Array.from({ length: count }, (_, n) => ({ DestinationType: 'HostName', DestinationData: `h${n}` }));
