// Stands in for HashiCorp Vault or OpenBao: the transit engine with keys that have versions, tokens, AppRoles, namespaces, the
// health of a node, and what it answers when it is sealed, a standby, or has too many calls.

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { type Asked, openServiceDouble, type Releasing, type ServiceDouble, type Told } from './services.ts';

type NodeState = 'active' | 'sealed' | 'standby' | 'uninitialised' | 'busy' | 'secondary' | 'elsewhere';

export interface TransitDouble extends ServiceDouble {
	state: NodeState;
	/** The tokens with the seconds that a renewal gives; a token that may do nothing has the policy `default`. */
	readonly tokens: Map<string, { readonly seconds: number; readonly policy: 'wraps' | 'encrypts' | 'default' }>;
	readonly roles: Map<string, string>;
	/** Everything that callers had wrapped so far, so that a test can look for it elsewhere. */
	readonly plaintexts: readonly Buffer[];
	/** The seconds for which a login of a role is good. */
	roleSeconds: number;
	makeKey(name: string): void;
	deleteKey(name: string): void;
	/** Adds a version and refuses the ones before it. */
	retireVersions(name: string): void;
}

interface Key {
	readonly versions: Buffer[];
	minDecryption: number;
}

const HEALTH = {
	active: 200,
	busy: 200,
	sealed: 503,
	standby: 429,
	uninitialised: 501,
	secondary: 472,
	elsewhere: 429,
};

const refused = (status: number, ...errors: string[]): Told => ({ status, json: { errors } });

export async function openTransitDouble(
	t: Releasing,
	{ tls, namespace }: { tls?: { cert: string; key: string }; namespace?: string } = {},
): Promise<TransitDouble> {
	const keys = new Map<string, Key>();
	const tokens: TransitDouble['tokens'] = new Map([['hvs.test', { seconds: 3600, policy: 'wraps' }]]);
	const roles = new Map<string, string>();
	const plaintexts: Buffer[] = [];
	const standing = { state: 'active' as NodeState, roleSeconds: 1200 };

	const answer = ({ method, path, request, body }: Asked): Told => {
		const { state } = standing;
		if (path === '/v1/sys/health') return { status: HEALTH[state], json: { sealed: state === 'sealed' } };
		if (state === 'sealed') return refused(503, 'Vault is sealed');
		if (state === 'uninitialised') return refused(503, 'Vault is not initialized');
		if (state === 'standby') return refused(500, 'local node not active but active cluster node not found');
		if (state === 'secondary') return refused(472);
		if (state === 'elsewhere') return { status: 307, text: '', headers: { location: 'https://another.invalid/' } };
		if (state === 'busy') return refused(429, 'request path "transit": rate limit quota exceeded');
		if (namespace !== undefined && request.headers['x-vault-namespace'] !== namespace)
			return refused(404, 'no handler for route');
		const members = JSON.parse(body.toString() || '{}') as Record<string, string>;
		if (path === '/v1/auth/approle/login') {
			if (roles.get(members.role_id) !== members.secret_id) return refused(400, 'invalid role or secret ID');
			const token = `hvs.role.${randomBytes(8).toString('hex')}`;
			tokens.set(token, { seconds: standing.roleSeconds, policy: 'wraps' });
			return {
				status: 200,
				json: { auth: { client_token: token, lease_duration: standing.roleSeconds, renewable: true } },
			};
		}
		const token = tokens.get(String(request.headers['x-vault-token']));
		if (!token) return refused(403, 'permission denied');
		if (path === '/v1/auth/token/renew-self')
			return { status: 200, json: { auth: { lease_duration: token.seconds, renewable: true } } };
		const [, operation, name] = /^\/v1\/transit\/(encrypt|decrypt)\/([\w.-]+)$/.exec(path) ?? [];
		if (operation === undefined || method !== 'POST') return refused(404);
		if (token.policy === 'default' || (token.policy === 'encrypts' && operation === 'decrypt'))
			return refused(403, '1 error occurred:\n\t* permission denied\n\n');
		const key = keys.get(name);
		if (!key) return refused(400, 'encryption key not found');
		const aad = Buffer.from(members.associated_data ?? '', 'base64');
		if (operation === 'encrypt') {
			plaintexts.push(Buffer.from(members.plaintext, 'base64'));
			const version = key.versions.length;
			const iv = randomBytes(12);
			const cipher = createCipheriv('aes-256-gcm', key.versions[version - 1], iv).setAAD(aad);
			const sealed = Buffer.concat([iv, cipher.update(Buffer.from(members.plaintext, 'base64')), cipher.final()]);
			const whole = Buffer.concat([sealed, cipher.getAuthTag()]).toString('base64');
			return { status: 200, json: { data: { ciphertext: `vault:v${version}:${whole}`, key_version: version } } };
		}
		const [, number, sealed] = /^vault:v(\d+):(.+)$/.exec(members.ciphertext) ?? [];
		if (sealed === undefined) return refused(400, 'invalid ciphertext: no prefix');
		if (Number(number) > key.versions.length) return refused(400, 'invalid ciphertext: version is too new');
		if (Number(number) < key.minDecryption)
			return refused(400, 'ciphertext or signature version is disallowed by policy (too old)');
		const bytes = Buffer.from(sealed, 'base64');
		const decipher = createDecipheriv('aes-256-gcm', key.versions[Number(number) - 1], bytes.subarray(0, 12));
		decipher.setAAD(aad).setAuthTag(bytes.subarray(-16));
		try {
			const plain = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
			return { status: 200, json: { data: { plaintext: plain.toString('base64') } } };
		} catch {
			return refused(400, 'invalid ciphertext: unable to decrypt');
		}
	};
	const double = await openServiceDouble(t, { tls, nameOf: ({ path }) => path.replace(/^\/v1\//, ''), answer });
	return Object.defineProperties(
		Object.assign(double, {
			tokens,
			roles,
			plaintexts,
			makeKey: (name: string) => void keys.set(name, { versions: [randomBytes(32)], minDecryption: 1 }),
			deleteKey: (name: string) => void keys.delete(name),
			retireVersions(name: string) {
				const key = keys.get(name)!;
				key.minDecryption = key.versions.push(randomBytes(32));
			},
		}),
		{
			state: { get: () => standing.state, set: (next: NodeState) => (standing.state = next) },
			roleSeconds: { get: () => standing.roleSeconds, set: (next: number) => (standing.roleSeconds = next) },
		},
	) as unknown as TransitDouble;
}
