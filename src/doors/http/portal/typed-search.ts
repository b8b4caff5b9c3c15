// Searches by text that people type. A search is part of the address of its page, where a card number must never be: the
// browser remembers addresses, and proxies write them into their logs.

import { holdsCardNumber } from '../../../base/card/spelling/spelled-number.ts';
import { pathAsSent } from '../server/path-as-sent.ts';
import type { PortalPage } from './portal-page.ts';

/**
 * Returns a list and the page to which its search is posted, which leads to the list with the search in the address. If
 * a typed text may hold a card number, the list answers at once, and its address stays without the search.
 * @param names the names of the fields of the search
 */
export function withTypedSearch(list: PortalPage, names: readonly string[]): PortalPage[] {
	return [
		list,
		{
			...{ path: list.path, method: 'POST', right: list.right },
			async handle(call) {
				const typed = names.flatMap((name) => (call.form[name] ? [[name, call.form[name]] as [string, string]] : []));
				if (typed.some(([, text]) => holdsCardNumber(text))) {
					const answer = await list.handle({ ...call, query: Object.fromEntries(typed) });
					return 'page' in answer ? { ...answer, status: 400 } : answer;
				}
				const path = pathAsSent(call.request.url);
				const query = new URLSearchParams(typed).toString();
				return { redirectTo: query === '' ? path : `${path}?${query}` };
			},
		},
	];
}
