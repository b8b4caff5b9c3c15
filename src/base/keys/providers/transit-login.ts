// Logs in to Vault or OpenBao: with a token in a file, which is kept alive, or as an AppRole.

import { RootKeyError } from '../root-key.ts';
import { readSecretFile } from './file.ts';
import { LoginRefusedError } from './insist.ts';
import { type ServiceReply, saidBy } from './service-client.ts';

/** Calls a path of the service, such as `auth/token/renew-self`, with a token or without one. */
export type AskTransit = (path: string, body: object, token?: string) => Promise<ServiceReply>;

export interface Login {
	find(ask: AskTransit): Promise<string>;
	/** Says that the token was not accepted. Tells whether there may be another one. */
	forget(): boolean;
}

/** A token that the service does not renew is tried again after this time, because the file may have another one by then. */
const RENEW_AGAIN_MS = 3_600_000;

export function fixedLogin(token: string): Login {
	return { find: async () => token.trim(), forget: () => false };
}

/** Reads the token each time, so that one which an agent puts there is used, and renews it when half of its time is over. */
export function loginByTokenFile(path: string): Login {
	let renewAt = 0;
	return {
		async find(ask) {
			const token = readSecretFile(path, `file ${path}`, 'the token').trim();
			if (Date.now() >= renewAt) {
				renewAt = Date.now() + RENEW_AGAIN_MS;
				const { status, json } = await ask('auth/token/renew-self', {}, token);
				const { lease_duration: seconds } = authOf(json);
				if (status === 200 && typeof seconds === 'number' && seconds > 0) renewAt = Date.now() + seconds * 500;
			}
			return token;
		},
		forget() {
			renewAt = 0;
			return false;
		},
	};
}

/** Logs in with the id of a role and a secret, and again when two thirds of the token's time are over. */
export function loginByRole(roleId: string, secretIdFile: string, description: string): Login {
	let kept: { readonly token: string; readonly untilMs: number } | undefined;
	return {
		async find(ask) {
			if (kept !== undefined && Date.now() < kept.untilMs) return kept.token;
			const secret = readSecretFile(secretIdFile, `file ${secretIdFile}`, 'the secret id').trim();
			const reply = await ask('auth/approle/login', { role_id: roleId, secret_id: secret });
			const { client_token: token, lease_duration: seconds } = authOf(reply.json);
			if (reply.status !== 200 || typeof token !== 'string') {
				const todo = 'look at keys.transit.roleId and make a new secret id';
				throw new LoginRefusedError(`${description}: the role is refused; ${todo} (${answerOf(reply)})`);
			}
			const forMs = typeof seconds === 'number' && seconds > 0 ? (seconds * 2_000) / 3 : RENEW_AGAIN_MS;
			kept = { token, untilMs: Date.now() + forMs };
			return token;
		},
		forget() {
			const hadOne = kept !== undefined;
			kept = undefined;
			return hadOne;
		},
	};
}

/** Returns the way to log in that the settings name. @throws RootKeyError if they name none */
export function loginOf(
	place: { readonly tokenFile: string | null; readonly roleId: string | null; readonly secretIdFile: string | null },
	description: string,
): Login {
	const { tokenFile, roleId, secretIdFile } = place;
	if (tokenFile !== null) return loginByTokenFile(tokenFile);
	if (roleId !== null && secretIdFile !== null) return loginByRole(roleId, secretIdFile, description);
	throw new RootKeyError(`${description}: the settings name no way to log in`);
}

/** Returns what the service answered to a failed call, in one line. */
export function answerOf({ status, json }: ServiceReply): string {
	const { errors } = json;
	const words = Array.isArray(errors) ? saidBy(errors.join('; ')) : '';
	return words === '' ? String(status) : `${status}: ${words}`;
}

function authOf(json: ServiceReply['json']): Readonly<Record<string, unknown>> {
	return typeof json.auth === 'object' && json.auth !== null ? (json.auth as Record<string, unknown>) : {};
}
