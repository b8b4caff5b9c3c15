// Shows the portal in a real browser to people who are signed in.

import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';
import type { BrowserContextOptions } from 'playwright-core';
import type { PortalRole } from '../../src/people/portal-users/rights.ts';
import type { OpenedBrowser, OpenedPage } from './browser.ts';
import type { HttpAppOptions } from './http-app.ts';
import { openPortalApp, type PortalApp, type SignedIn, type SignInOptions } from './portal-app.ts';
import { openPage as openSharedPage } from './shared-browser.ts';

export interface PortalBrowser {
	readonly parts: PortalApp;
	/** The base URL of the service, `http://127.0.0.1:port`. */
	readonly base: string;
	/** Opens a browser of its own for a new user who is signed in. */
	open(role: PortalRole, options?: SignInOptions & { look?: BrowserContextOptions }): Promise<OpenedPortal>;
	/** Opens a browser for somebody who is signed in. */
	openFor(person: SignedIn, look?: BrowserContextOptions): Promise<OpenedPortal>;
	openPage: OpenedBrowser['openPage'];
}

export interface OpenedPortal extends OpenedPage {
	readonly person: SignedIn;
	/** Goes to a path of the portal. */
	show(path: string): Promise<void>;
}

/** Opens parts that listen, with the browser of this process. They close with the test. */
export async function portalBrowser(t: ExecutionContext<unknown>, options?: HttpAppOptions): Promise<PortalBrowser> {
	// The browser reaches the service without TLS, so its public address has none either.
	const settings = options?.settings ?? { baseUrl: 'http://vault.example' };
	const parts = await openPortalApp(t, 'sqlite', { ...options, settings });
	await parts.app.listen({ host: '127.0.0.1', port: 0 });
	const base = `http://127.0.0.1:${(parts.app.server.address() as AddressInfo).port}`;
	const openPage: OpenedBrowser['openPage'] = (look) => openSharedPage(t, look);
	const openFor: PortalBrowser['openFor'] = async (person, look) => {
		const opened = await openPage(look);
		const [name, value] = person.cookie.split('=', 2);
		await opened.page.context().addCookies([{ name, value, url: base, httpOnly: true, sameSite: 'Lax' }]);
		return { ...opened, person, show: async (path) => void (await opened.page.goto(base + path)) };
	};
	return {
		...{ parts, base, openPage, openFor },
		open: async (role, { look, ...more } = {}) => openFor(await parts.signIn(role, more), look),
	};
}
