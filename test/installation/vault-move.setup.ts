// Two installations, between which a vault moves.

import type { ExecutionContext } from 'ava';
import type { Token } from '../../src/vault/tokens/token.ts';
import { makeFolder } from '../helpers/file-parts.ts';
import { type HttpApp, openHttpApp } from '../helpers/http-app.ts';
import { makeReceiver, type Receiver } from '../helpers/vault-moves.ts';

export const ACCOUNTS = ['agency', 'shop'] as const;
export const MASTERCARD = '5555555555554444';

let made: Promise<Receiver> | undefined;

/** Opens two installations with the same accounts and different keys, and a receiver, whose key is made once. */
export async function openBoth(t: ExecutionContext) {
	made ??= makeReceiver('');
	const receiver = { ...(await made), folder: makeFolder(t) };
	const open = async () => {
		const parts = await openHttpApp(t);
		const agency = await parts.createCaller('agency', { cvvRetention: true });
		await parts.createCaller('shop');
		return { parts, agency };
	};
	const [here, there] = [await open(), await open()];
	await there.parts.database.knex('keys').where({ purpose: 'token' }).delete();
	return { here, there, receiver };
}

/** Counts the pages and the foreign tokens of an installation. */
export async function storedIn({ database }: Pick<HttpApp, 'database'>): Promise<[number, number]> {
	return [(await database.knex('pages')).length, (await database.knex('foreign_tokens')).length];
}

/** Returns the number behind a token of the account. */
export const numberOf = async ({ vault, identity }: HttpApp, token: string) => {
	const owner = await identity.accounts.get('agency');
	return (await vault.find(owner.id, token as Token))?.record.digits.toString();
};
