// The root key in the transit engine of HashiCorp Vault or OpenBao. It wraps and unwraps there, and never leaves it.

import { readFileSync } from 'node:fs';
import type { Settings } from '../../settings/settings.ts';
import { type RootKey, RootKeyAwayError, RootKeyError } from '../root-key.ts';
import { insist, LoginRefusedError } from './insist.ts';
import { bytesOf, type ServiceReply, serviceClient } from './service-client.ts';
import { type AskTransit, answerOf, type Login, loginOf } from './transit-login.ts';
import { markedAs, unmarked } from './wrapped-form.ts';

export type TransitPlace = Settings['keys']['transit'];

/** What is wrapped is bound to this text. */
const CONTEXT = Buffer.from('tokendrop root key v1').toString('base64');

/** What the statuses of `sys/health` mean. */
const HEALTH: Readonly<Record<number, string>> = {
	200: 'the node is active',
	429: 'the node is a standby that reaches no active node',
	472: 'the node is a secondary for disasters',
	473: 'the node is a standby that answers reads only',
	501: 'the service is not initialised; initialise it',
	503: 'the service is sealed; unseal it',
};

/** Opens the key that `place` names. `given` is a login that takes the place of the one in the settings. */
export function openTransitRootKey(place: TransitPlace, given?: Login): RootKey {
	const { mount, keyName, namespace, caFile } = place;
	const api = `${place.url?.replace(/\/+$/, '')}/v1/`;
	const description = `transit key ${keyName} of ${place.url}`;
	const client = serviceClient(description, caFile === null ? undefined : readAuthorities(caFile, description));
	const login = given ?? loginOf(place, description);
	const always = ['x-vault-request', 'true', ...(namespace === null ? [] : ['x-vault-namespace', namespace])];

	const call: AskTransit = async (path, body, token) => {
		const headers = [...always, 'content-type', 'application/json'];
		if (token !== undefined) headers.push('x-vault-token', token);
		const url = new URL(api + path);
		const reply = await client.call({ method: 'POST', url, headers, body: JSON.stringify(body) });
		if (isBusy(reply)) throw await awayError(reply);
		return reply;
	};
	const awayError = async (reply: ServiceReply) => {
		const health = await client
			.call({ method: 'GET', url: new URL(`${api}sys/health`), headers: always })
			.catch(() => undefined);
		const state = reply.status === 429 ? 'it has had too many calls' : HEALTH[health?.status ?? 0];
		const why = `${state ?? 'it does not serve at the moment'} (${answerOf(reply)})`;
		return new RootKeyAwayError(`${description}: ${why}`);
	};
	const ask = (operation: 'encrypt' | 'decrypt', members: Record<string, string>) =>
		insist(async () => {
			const path = `${mount.replace(/^\/+|\/+$/g, '')}/${operation}/${encodeURIComponent(keyName!)}`;
			const body = { ...members, associated_data: CONTEXT };
			let reply = await call(path, body, await login.find(call));
			// A token that ends early is one more login, and no failure.
			if (reply.status === 403 && login.forget()) reply = await call(path, body, await login.find(call));
			if (reply.status === 200) return (reply.json.data ?? {}) as Readonly<Record<string, unknown>>;
			throw failureOf(reply, description);
		});

	return {
		description,
		async wrap(plain) {
			const { ciphertext } = await ask('encrypt', { plaintext: plain.toString('base64') });
			if (typeof ciphertext !== 'string' || !ciphertext.includes(':v'))
				throw new RootKeyError(`${description}: it answered something else than a wrapped key`);
			return markedAs('transit', Buffer.from(ciphertext));
		},
		async unwrap(wrapped) {
			const ciphertext = unmarked('transit', wrapped, description).toString('latin1');
			const { plaintext } = await ask('decrypt', { ciphertext });
			return bytesOf(plaintext, description);
		},
		close: () => client.close(),
	};
}

function isBusy({ status }: ServiceReply): boolean {
	return status >= 500 || [307, 308, 412, 429, 472, 473].includes(status);
}

function failureOf(reply: ServiceReply, description: string): RootKeyError {
	const answer = answerOf(reply);
	if (reply.status === 401 || reply.status === 403) {
		const todo = 'renew the token, or let its policy update encrypt and decrypt of this key';
		return new LoginRefusedError(`${description}: our login is refused; ${todo} (${answer})`);
	}
	if (reply.status === 404)
		return new RootKeyError(`${description}: nothing is there; look at keys.transit.mount (${answer})`);
	if (/not found|deleted/i.test(answer))
		return new RootKeyError(`${description}: there is no such key, or it is deleted; bring it back (${answer})`);
	if (/disallowed|too old|version/i.test(answer)) {
		return new RootKeyError(
			`${description}: the version of the key is disabled; lower its min_decryption_version (${answer})`,
		);
	}
	if (/authentication failed|invalid ciphertext|unable to decrypt|decrypt/i.test(answer)) {
		return new RootKeyError(`${description}: this is not the master key that the database was made with (${answer})`);
	}
	return new RootKeyError(`${description}: it refuses the call (${answer})`);
}

function readAuthorities(path: string, description: string): string {
	try {
		return readFileSync(path, 'utf8');
	} catch (error) {
		throw new RootKeyError(`${description}: the file ${path} of keys.transit.caFile cannot be read`, { cause: error });
	}
}
