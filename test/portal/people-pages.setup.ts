// What people-pages.test.ts and people-pages.slow.test.ts share.

import { type PortalApp, tokenOn } from '../helpers/portal-app.ts';

export const GOOD = 'nine lives, one cat';
export const FORM = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin' };

/** Returns a browser without JavaScript that keeps its cookies. */
export function browser({ app }: Pick<PortalApp, 'app'>) {
	const cookies = new Map<string, string>();
	const send = async (method: 'GET' | 'POST', url: string, payload?: string, headers: object = FORM) => {
		const cookie = [...cookies].map((pair) => pair.join('=')).join('; ');
		const answer = await app.inject({ method, url, payload, headers: { ...headers, cookie } });
		for (const { name, value } of answer.cookies) {
			if (value) cookies.set(name, value);
			else cookies.delete(name);
		}
		return answer;
	};
	return {
		cookies,
		get: (url: string) => send('GET', url),
		post: async (url: string, form: Record<string, string> = {}, { from = url, headers = FORM } = {}) => {
			const token = tokenOn((await send('GET', from)).body);
			return send('POST', url, new URLSearchParams({ ...(token && { _csrf: token }), ...form }).toString(), headers);
		},
	};
}

export async function invite(parts: PortalApp, role = 'manager', name = 'anna') {
	const { account } = await parts.createCaller('agency');
	const user = await parts.portal.users.add({ name, of: { accountId: account.id, role } }, 'test');
	const { url } = await parts.portal.links.make(user.id, 'test');
	return { user, account, path: new URL(url.reveal()).pathname };
}
