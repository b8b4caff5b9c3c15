// Declares and checks the settings of key services, which may hold the master key.

import { z } from 'zod';
import { ADDRESS, optional, PATH } from './keys.ts';
import { contradiction, type SettingsProblem } from './problems.ts';

const text = (pattern: RegExp) => z.string().regex(pattern);
const unused = (provider: string) => ({ none: `keys.provider is not ${provider}` });

const [pkcs11, awsKms, transit] = [unused('pkcs11'), unused('aws-kms'), unused('transit')];

export const keyServices = {
	pkcs11: z.strictObject({
		library: optional(PATH, pkcs11, "the library of the HSM's vendor, a path", '/usr/lib/softhsm/libsofthsm2.so'),
		tokenLabel: optional(text(/^[\x20-\x7e]{1,32}$/), pkcs11, 'the label of the token', 'tokendrop'),
		keyLabel: optional(text(/^[\x20-\x7e]{1,255}$/), pkcs11, 'the label of the key in the token', 'master key'),
		pinFile: optional(PATH, pkcs11, 'a file with the PIN of the token, a path', '/run/secrets/hsm-pin'),
	}),
	awsKms: z.strictObject({
		keyId: optional(text(/^[\w/:-]{1,2048}$/), awsKms, 'the id, ARN or alias of the key', 'alias/tokendrop'),
		region: optional(text(/^[a-z0-9-]{1,64}$/), awsKms, 'the region of the key', 'eu-central-1'),
		endpoint: optional(
			ADDRESS,
			{ none: 'calls go to the address of AWS in the region' },
			'the address of the service, http:// or https://, without query or user name',
			'https://vpce-1a2b3c.kms.eu-central-1.vpce.amazonaws.com',
		),
		credentialsFile: optional(
			PATH,
			{ none: 'the role of the machine is used' },
			'a file with credentials as the AWS command line writes it, a path',
			'/run/secrets/aws-credentials',
		),
	}),
	transit: z.strictObject({
		url: optional(
			ADDRESS,
			transit,
			'the address of Vault or OpenBao, http:// or https://, without query or user name',
			'https://vault.example.com:8200',
		),
		mount: text(/^[\w./-]{1,128}$/).meta({ rule: 'the path at which the engine is mounted', example: 'transit' }),
		keyName: optional(text(/^[\w.-]{1,128}$/), transit, 'the name of the key', 'tokendrop'),
		namespace: optional(
			text(/^[\w./-]{1,128}$/),
			{ none: 'the root namespace' },
			'the namespace of the engine',
			'payments',
		),
		caFile: optional(
			PATH,
			{ none: 'the certificates that Node trusts' },
			'a PEM file with the certificates to check the service with',
			'/etc/tokendrop/vault-ca.pem',
		),
		tokenFile: optional(
			PATH,
			{ none: 'the login is an AppRole' },
			'a file with a token of the service, a path',
			'/run/secrets/vault-token',
		),
		roleId: optional(
			text(/^[\x21-\x7e]{1,255}$/),
			{ none: 'the login is a token' },
			'the id of an AppRole, together with keys.transit.secretIdFile',
			'3f6a1c2e-5b1d-4c0a-9a7e-2d4b8c6e0f11',
		),
		secretIdFile: optional(
			PATH,
			{ none: 'the login is a token' },
			'a file with the secret id of that AppRole, a path',
			'/run/secrets/vault-secret-id',
		),
	}),
};

type Sections = { readonly [Name in keyof typeof keyServices]: z.infer<(typeof keyServices)[Name]> };

/** Returns what is missing in the settings for a provider to work. */
export function keyServiceProblems(
	keys: Sections & { readonly provider: string },
	provider: string = keys.provider,
): SettingsProblem[] {
	const needed: Record<string, readonly [keyof Sections, readonly string[]]> = {
		pkcs11: ['pkcs11', ['library', 'tokenLabel', 'keyLabel', 'pinFile']],
		'aws-kms': ['awsKms', ['keyId', 'region']],
		transit: ['transit', ['url', 'keyName']],
	};
	const [section, names] = needed[provider] ?? [undefined, []];
	const problems = names
		.filter((name) => (keys[section!] as Record<string, unknown>)[name] === null)
		.map((name) =>
			contradiction(`keys.${section}.${name}`, null, `a value, because the master key is with ${provider}`),
		);
	const { tokenFile, roleId, secretIdFile } = keys.transit;
	const isRole = roleId !== null && secretIdFile !== null;
	const isOneWay = tokenFile === null ? isRole : roleId === null && secretIdFile === null;
	if (provider === 'transit' && !isOneWay)
		problems.push(
			contradiction('keys.transit.tokenFile', tokenFile, 'either this, or keys.transit.roleId and secretIdFile'),
		);
	return problems;
}
