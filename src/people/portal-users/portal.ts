// Opens the parts that decide who may enter the portal: users, passwords and second factors, sessions, and links for
// setting a password.

import { needsFactor } from './entitled.ts';
import { type OwnAccess, openOwnAccess } from './me.ts';
import type { PortalOptions } from './options.ts';
import { openFactorChecks } from './second-factors.ts';
import { openLinks, type PortalLinks } from './sign-in/links.ts';
import { openLogin, type PortalLogin } from './sign-in/login.ts';
import { openSessionRows, openSessions, type PortalSessions } from './sign-in/sessions.ts';
import { openUserRows, openUsers, type PortalUsers } from './users.ts';

export type { Renewed, ShownApp, ShownFactors } from './me.ts';
export { ACCOUNT_ROLES } from './rights.ts';
export { type LoginAnswer, PROOF_MS, type Proof } from './sign-in/login.ts';
export { PasswordError } from './sign-in/password.ts';
export type { PortalUser } from './users.ts';

export interface Portal {
	readonly sessions: PortalSessions;
	readonly login: PortalLogin;
	readonly users: PortalUsers;
	readonly links: PortalLinks;
	/** Lets users change their own password, second factors and language. */
	readonly own: OwnAccess;
}

/** Opens the portal; the database must be migrated. The portal holds no resources, so it need not be closed. */
export function openPortal(options: PortalOptions): Portal {
	const users = openUserRows(options);
	const sessionRows = openSessionRows(options, users);
	const sessions = openSessions(options, sessionRows);
	const links = openLinks(options, users);
	const factors = openFactorChecks(options);
	const login = openLogin(options, { users, sessions: sessionRows, links, factors });
	const own = openOwnAccess(options, {
		users,
		sessions: sessionRows,
		checks: factors,
		needsFactor: (user) => needsFactor(user, options.settings),
	});
	return { sessions, login, users: openUsers(options, users, links), links, own };
}
