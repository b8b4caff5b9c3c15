// The page on which people set a password after they have followed a link, and the page on which they request such a
// link.

import { html } from '../../../../../base/pages/html.ts';
import { fillText } from '../../../../../base/pages/languages/index.ts';
import { PasswordError, type Portal } from '../../../../../people/portal-users/portal.ts';
import type { HttpRooms } from '../../../rooms.ts';
import { field, form, notice } from '../../pieces.ts';
import type { AnyPage, OpenCall, PortalAnswer } from '../../portal-page.ts';
import { clientOf, keepSession } from './session-cookie.ts';

const HELP = '/docs/portal#signing-in';

type Rooms = Pick<HttpRooms, 'mails' | 'logger'> & { readonly portal: Portal };

export function enterPages({ portal, mails, logger }: Rooms): AnyPage[] {
	const { login, links } = portal;

	const enterPage = async (call: OpenCall, problem?: { password?: string; repeat?: string }): Promise<PortalAnswer> => {
		const { enter } = call.texts.people;
		const secret = call.params.secret ?? '';
		const found = await login.findLink(secret);
		const page = { title: enter.title, section: 'me', help: HELP } as const;
		if (!found) return { page: { ...page, body: notice('bad', enter.over) }, status: 404 };
		const parts = { type: 'password', autocomplete: 'new-password', isRequired: true, maxLength: 512 } as const;
		const body = html`<p>${fillText(enter.hello, { name: found.name })}</p>
${form(call, {
	action: `/portal/enter/${secret}`,
	body: html`<input type="hidden" name="username" autocomplete="username" value="${found.name}">${field({ ...parts, name: 'password', label: enter.password, hint: enter.hint, problem: problem?.password })}${field({ ...parts, name: 'repeat', label: enter.repeat, problem: problem?.repeat })}`,
	submit: enter.submit,
})}`;
		return { page: { ...page, body }, status: problem ? 400 : 200 };
	};
	const forgottenPage = (call: OpenCall, isDone = false): PortalAnswer => {
		const { forgotten, login: says } = call.texts.people;
		const name = { name: 'name', label: says.name, autocomplete: 'username', isRequired: true, maxLength: 254 };
		const ask = html`<p>${forgotten.hint}</p>
${form(call, { action: '/portal/forgotten', body: field(name), submit: forgotten.submit })}`;
		const body = !mails.isOpen ? html`<p>${forgotten.noMail}</p>` : isDone ? notice('good', forgotten.done) : ask;
		return { page: { title: forgotten.title, section: 'me', body, help: HELP } };
	};

	return [
		{ path: '/portal/enter/:secret', method: 'GET', right: 'anyone', handle: (call) => enterPage(call) },
		{
			...{ path: '/portal/enter/:secret', method: 'POST', right: 'anyone' },
			async handle(call: OpenCall) {
				const { password = '', repeat = '' } = call.form;
				const { problems, enter } = call.texts.people;
				if (password !== repeat) return enterPage(call, { repeat: problems.different });
				try {
					const answer = await login.byLink(call.params.secret ?? '', password, clientOf(call));
					if (answer.state === 'refused') return enterPage(call);
					keepSession(call, answer.session);
					const redirectTo = answer.state === 'in' ? '/portal' : '/portal/login/factor';
					return { redirectTo, notice: enter.done };
				} catch (error) {
					if (!(error instanceof PasswordError)) throw error;
					return enterPage(call, { password: problems[error.why] });
				}
			},
		},
		{ path: '/portal/forgotten', method: 'GET', right: 'anyone', handle: async (call) => forgottenPage(call) },
		{
			...{ path: '/portal/forgotten', method: 'POST', right: 'anyone' },
			async handle(call: OpenCall) {
				// The answer does not wait for the mail, so that its timing does not tell whether the user exists.
				const { name = '' } = call.form;
				if (mails.isOpen && name.length <= 254) {
					links
						.forgotten(name)
						.catch((err: unknown) => logger.error({ err }, 'a link for a forgotten password was not made'));
				}
				return forgottenPage(call, true);
			},
		},
	];
}
