// A real OpenID provider (`oidc-provider`) on this host, at which tests sign in without a browser.

import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type JWTPayload, SignJWT } from 'jose';
import Provider from 'oidc-provider';

export const CLIENT_ID = 'tokendrop';
export const CLIENT_SECRET = 'a secret that only the test uses, 32 bytes or more';

export interface OidcPerson {
	readonly subject: string;
	readonly groups?: readonly string[];
	readonly amr?: readonly string[];
	readonly acr?: string;
	/** The name that the provider says as `preferred_username`. */
	readonly name?: string;
	/** When the person proved who they are; now unless given. */
	readonly provenAtMs?: number;
}

export interface OidcServer {
	readonly issuer: string;
	/** Says who signs in from now on in a browser that is led to the provider. */
	present(person: OidcPerson): void;
	/** Follows a sign-in as a browser does, and returns the address to which the provider sends the person back. */
	signIn(url: URL, person: OidcPerson): Promise<URL>;
	/** Returns a token that the provider has signed, by default a logout token for us. */
	logoutToken(claims: JWTPayload): Promise<string>;
	/** Returns the name of the session of whoever signed in last. */
	lastSession(): string;
	/** The addresses that were asked for, with their queries. */
	readonly asked: readonly string[];
	close(): Promise<void>;
}

/** Starts a provider that knows one client with this redirect URI. It tells a `toldTo` of sessions that have ended. */
export async function startOidcServer(redirectUri: string, toldTo = `${redirectUri}/ended`): Promise<OidcServer> {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
	const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
	const asked: string[] = [];
	let present: OidcPerson = { subject: 'nobody' };
	const provider = new Provider(issuer, {
		clients: [
			{
				client_id: CLIENT_ID,
				client_secret: CLIENT_SECRET,
				redirect_uris: [redirectUri],
				post_logout_redirect_uris: [new URL('/portal/login', redirectUri).href],
				require_auth_time: true,
				backchannel_logout_uri: toldTo,
				backchannel_logout_session_required: true,
			},
		],
		jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'one' }] },
		cookies: { keys: ['a key of the test for cookies'] },
		claims: { openid: ['sub', 'amr', 'acr', 'auth_time', 'sid'], groups: ['groups', 'preferred_username'] },
		scopes: ['openid', 'groups'],
		features: { devInteractions: { enabled: false }, backchannelLogout: { enabled: true } },
		// Unlike its own, this one calls addresses of this host.
		fetch: (url, options) => fetch(url, { ...options, dispatcher: undefined } as RequestInit),
		pkce: { required: () => true },
		interactions: { url: (_, { uid }) => `/interaction/${uid}` },
		findAccount: (_, accountId) => ({
			accountId,
			claims: () => ({
				sub: accountId,
				groups: [...(present.groups ?? [])],
				...(present.name !== undefined && { preferred_username: present.name }),
			}),
		}),
		async loadExistingGrant(context) {
			const { client, session } = context.oidc;
			const grant = new provider.Grant({ clientId: client!.clientId, accountId: session!.accountId! });
			grant.addOIDCScope('openid groups');
			await grant.save();
			return grant;
		},
	});
	let session = '';
	provider.on('authorization.success', ({ oidc }) => {
		session = oidc.session!.sidFor(CLIENT_ID)!;
	});
	const answer = provider.callback();
	server.on('request', (request, response) => {
		asked.push(`${request.method} ${request.url}`);
		if (!request.url?.startsWith('/interaction/')) return void answer(request, response);
		const { subject: accountId, amr = ['pwd'], acr, provenAtMs = Date.now() } = present;
		const login = { accountId, amr: [...amr], acr, ts: Math.floor(provenAtMs / 1000) };
		void provider.interactionFinished(request, response, { login });
	});

	return {
		issuer,
		asked,
		present: (person) => void (present = person),
		lastSession: () => session,
		logoutToken: (claims) =>
			new SignJWT({
				events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
				jti: randomUUID(),
				...claims,
			})
				.setProtectedHeader({ alg: 'RS256', kid: 'one', typ: 'logout+jwt' })
				.setIssuer(claims.iss ?? issuer)
				.setAudience(CLIENT_ID)
				.setIssuedAt(claims.iat)
				.sign(privateKey),
		async signIn(url, person) {
			present = person;
			const cookies = new Map<string, string>();
			let next = url;
			while (next.origin === issuer) {
				const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
				const { headers, status } = await fetch(next, { headers: { cookie }, redirect: 'manual' });
				for (const line of headers.getSetCookie()) {
					const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
					cookies.set(name!, value!);
				}
				const location = headers.get('location');
				if (location === null) throw new Error(`the provider answered ${status} without sending the browser on`);
				next = new URL(location, next);
			}
			return next;
		},
		async close() {
			server.closeAllConnections();
			server.close();
			await once(server, 'close');
		},
	};
}
