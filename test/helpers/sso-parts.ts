// What the tests of single sign-on share: a provider that runs, its file, and a browser that goes there and comes back.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { browser } from '../portal/people-pages.setup.ts';
import { makeFolder } from './file-parts.ts';
import { type HttpAppOptions, TEST_BASE_URL } from './http-app.ts';
import { CLIENT_ID, CLIENT_SECRET, type OidcPerson, type OidcServer } from './oidc-server.ts';
import { openPortalApp, type PortalApp } from './portal-app.ts';

export const ANNA: OidcPerson = { subject: 'anna-1', name: 'anna@works.example', groups: ['clerks'] };
export const RULES = `rules:
  - group: clerks
    account: agency
    role: clerk
  - group: developers
    account: agency
    role: developer
`;

/** Writes the file of a provider, with more lines at its end, and returns its folder. */
export function providerFolder(t: ExecutionContext<unknown>, servers: Readonly<Record<string, OidcServer>>, more = '') {
	const folder = makeFolder(t);
	const secret = join(folder, 'secret');
	writeFileSync(secret, `${CLIENT_SECRET}\n`);
	for (const [name, { issuer }] of Object.entries(servers))
		writeFileSync(
			join(folder, `${name}.yaml`),
			`name: ${name}\nlabel: The ${name}\nissuer: ${issuer}\nclientId: ${CLIENT_ID}\nclientSecretFile: ${secret}\nscopes: [groups]\nallowPrivate: true\n${more}`,
		);
	return folder;
}

/** Opens the portal with providers. Its clock shows the real time, as that of the providers does. */
export async function openSso(
	t: ExecutionContext<unknown>,
	servers: Readonly<Record<string, OidcServer>>,
	more = '',
	options: HttpAppOptions = {},
): Promise<PortalApp> {
	const parts = await openPortalApp(t, 'sqlite', {
		...options,
		portal: { providersDir: providerFolder(t, servers, more) },
	});
	parts.clock.turn(Date.now() - parts.clock.now().getTime());
	await parts.createCaller('agency');
	return parts;
}

/** Returns the path of our page in an address to which a provider sends a browser back. */
export function ours(address: URL): string {
	if (address.origin !== TEST_BASE_URL) throw new Error(`the provider leads to ${address.origin}`);
	return address.pathname + address.search;
}

/** A browser that goes to providers. */
export function traveller(parts: Pick<PortalApp, 'app'>) {
	const own = browser(parts);
	/** Follows a link of ours to a provider, signs in there, and returns the path at which the browser comes back. */
	const visit = async (server: OidcServer, person: OidcPerson, path: string) => {
		const { statusCode, headers } = await own.get(path);
		if (statusCode !== 303) throw new Error(`${path} answered ${statusCode}`);
		return ours(await server.signIn(new URL(headers.location!), person));
	};
	/** Asks for the path at which the browser comes back; the page that says why somebody is not let in, if it leads there. */
	const comeBack = async (path: string) => {
		const answer = await own.get(path);
		return /\/out\?/.test(answer.headers.location ?? '') ? own.get(answer.headers.location!) : answer;
	};
	return {
		...own,
		visit,
		/** Signs in at a provider and returns the answer to the browser that has come back. */
		come: async (server: OidcServer, person: OidcPerson, path = '/portal/sso/works/start') =>
			comeBack(await visit(server, person, path)),
		comeBack,
	};
}

/** Returns the entries of the trail with an action, oldest first. */
export async function entriesOf({ database }: Pick<PortalApp, 'database'>, action: string) {
	const rows: { details: string; subject: string }[] = await database.knex('audit').where({ action }).orderBy('seq');
	return rows.map(({ details: text, subject }) => {
		const { address, credential, person, ...details } = JSON.parse(text) as Record<string, unknown>;
		return { subject, credential, details };
	});
}
