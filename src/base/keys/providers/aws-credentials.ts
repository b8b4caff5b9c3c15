// Finds the keys with which calls to AWS are signed: in a file of AWS' form, or from the role of the machine.

import { Secret } from '../../settings/secret.ts';
import { RootKeyAwayError, RootKeyError } from '../root-key.ts';
import { readSecretFile } from './file.ts';
import { LoginRefusedError } from './insist.ts';
import type { ServiceClient } from './service-client.ts';

export interface AwsKeys {
	readonly accessKeyId: string;
	readonly secretKey: Secret;
	/** Comes with keys that AWS lends for some hours. */
	readonly sessionToken: string | undefined;
}

export interface Credentials {
	find(): Promise<AwsKeys>;
	/** Says that AWS did not accept the keys any more. */
	forget(): void;
}

/** The address at which a machine of AWS learns about itself. */
const MACHINE = 'http://169.254.169.254';
const TOKEN_SECONDS = 60;
/** Keys of a role are fetched again this long before they end. */
const EARLY_MS = 300_000;

export function fixedCredentials(keys: AwsKeys): Credentials {
	return { find: async () => keys, forget() {} };
}

/** Reads keys that are written as `ACCESS_KEY_ID:SECRET_ACCESS_KEY`, with `:SESSION_TOKEN` behind keys that AWS has lent. */
export function parseCredentials(text: string): AwsKeys {
	const [accessKeyId, secretAccessKey, ...rest] = text.trim().split(':');
	if (!accessKeyId || !secretAccessKey) throw new RootKeyError('expected ACCESS_KEY_ID:SECRET_ACCESS_KEY of AWS');
	const sessionToken = rest.length === 0 ? undefined : rest.join(':');
	return { accessKeyId, secretKey: new Secret(secretAccessKey), sessionToken };
}

/** Reads the section `[default]` of a file each time, so that keys which another program renews there are used. */
export function credentialsOfFile(path: string): Credentials {
	const description = `file ${path}`;
	return {
		async find() {
			const values = readDefault(readSecretFile(path, description, 'the credentials of AWS'));
			const [accessKeyId, secretAccessKey] = [values.get('aws_access_key_id'), values.get('aws_secret_access_key')];
			if (!accessKeyId || !secretAccessKey)
				throw new RootKeyError(
					`${description}: its section [default] must have aws_access_key_id and aws_secret_access_key`,
				);
			const secretKey = new Secret(secretAccessKey);
			return { accessKeyId, secretKey, sessionToken: values.get('aws_session_token') };
		},
		forget() {},
	};
}

function readDefault(text: string): Map<string, string> {
	const values = new Map<string, string>();
	let isDefault = false;
	for (const line of text.split(/\r?\n/)) {
		const section = /^\s*\[\s*([^\]]*?)\s*\]/.exec(line)?.[1];
		if (section !== undefined) isDefault = section === 'default';
		const [, name, value] = /^\s*(\w+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
		if (isDefault && name !== undefined) values.set(name.toLowerCase(), value);
	}
	return values;
}

/** Asks the machine for keys of its role, and again before they end. */
export function credentialsOfMachine(client: ServiceClient, description: string, machine = MACHINE): Credentials {
	let kept: { readonly keys: AwsKeys; readonly untilMs: number } | undefined;
	const ask = async (path: string, method: 'GET' | 'PUT', headers: readonly string[]) => {
		const { status, text, json } = await client.call({ method, url: new URL(path, machine), headers });
		if (status >= 500) throw new RootKeyAwayError(`${description}: the machine answers ${status} about its role`);
		if (status !== 200) {
			const todo = 'give it a role that may use the key, or set keys.awsKms.credentialsFile';
			throw new LoginRefusedError(`${description}: the machine has no role of AWS (${status}); ${todo}`);
		}
		return { text, json };
	};
	const fetchKeys = async () => {
		const seconds = ['x-aws-ec2-metadata-token-ttl-seconds', String(TOKEN_SECONDS)];
		const { text: token } = await ask('/latest/api/token', 'PUT', seconds);
		const proof = ['x-aws-ec2-metadata-token', token];
		const roles = '/latest/meta-data/iam/security-credentials/';
		const { text: role } = await ask(roles, 'GET', proof);
		const { json } = await ask(roles + encodeURIComponent(role.trim()), 'GET', proof);
		const { AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: sessionToken, Expiration } = json;
		if (typeof accessKeyId !== 'string' || typeof secretAccessKey !== 'string' || typeof sessionToken !== 'string')
			throw new LoginRefusedError(`${description}: the role of the machine has no keys`);
		const untilMs = Date.parse(String(Expiration)) - EARLY_MS;
		kept = { keys: { accessKeyId, secretKey: new Secret(secretAccessKey), sessionToken }, untilMs };
		return kept.keys;
	};
	return {
		find: async () => (kept !== undefined && Date.now() < kept.untilMs ? kept.keys : fetchKeys()),
		forget: () => void (kept = undefined),
	};
}
