// Opens the parts that decide who may enter the portal: users, passwords and second factors, sessions, and links for
// setting a password.

import { openDirectory } from './directory/directory.ts';
import { openOwnAccess } from './me.ts';
import type { PortalOptions } from './options.ts';
import { openFactorChecks } from './second-factors.ts';
import { openEntry } from './sign-in/entry.ts';
import { openLinks } from './sign-in/links.ts';
import { openLogin } from './sign-in/login.ts';
import { openPasskeyLogin } from './sign-in/passkey-login.ts';
import { openSessionRows, openSessions } from './sign-in/sessions.ts';
import { openIdentities } from './sso/identities.ts';
import { openSingleSignOn } from './sso/single-sign-on.ts';
import { openUserRows, openUsers } from './users.ts';

export type { Renewed, ShownApp, ShownFactors } from './me.ts';
export { ACCOUNT_ROLES } from './rights.ts';
export { type LoginAnswer, PROOF_MS, type Proof } from './sign-in/login.ts';
export { PasswordError } from './sign-in/password.ts';
export type { PortalUser } from './users.ts';

export type Portal = ReturnType<typeof openPortal>;

/** Opens the portal; the database must be migrated. The portal holds no resources, so it need not be closed. */
export function openPortal(options: PortalOptions) {
	const users = openUserRows(options);
	const sessionRows = openSessionRows(options, users);
	const sessions = openSessions(options, sessionRows);
	const links = openLinks(options, users);
	const factors = openFactorChecks(options);
	const entry = openEntry(options, { users, sessions: sessionRows });
	const login = openLogin(options, { users, sessions: sessionRows, links, factors, entry });
	const people = openUsers(options, users, links);
	const directory = openDirectory(options, people, users);
	const identities = openIdentities(options, { users, people, directory });
	const signOn = openSingleSignOn(options, { users, links, entry, identities });
	const own = openOwnAccess(options, { users, sessions: sessionRows, checks: factors });
	const byPasskey = openPasskeyLogin(options, { users, links, entry });
	return {
		...{ sessions, login, users: people, links, directory },
		/** Lets people in who have a passkey and no password. */
		byPasskey,
		/** Lets users change their own password, second factors and language. */
		own,
		/** Lets people in by OpenID providers. */
		signOn,
	};
}
