// The page on which people set a password after they have followed a link, and the page on which they request such a
// link.

import { html } from '../../../../../base/pages/html.ts';
import { PasswordError } from '../../../../../people/portal-users/portal.ts';
import { type FormKind, formPart } from '../../kinds/form-part.ts';
import { pagesOf } from '../../kinds/pages-of.ts';
import type { PortalParts } from '../../parts.ts';
import { notice } from '../../pieces.ts';
import type { AnyPage, OpenCall, PortalAnswer } from '../../portal-page.ts';
import type { Refusal } from '../../refusals.ts';
import { clientOf, keepSession } from '../../session-cookie.ts';

const { page } = pagesOf({ section: 'me', help: '/docs/portal#signing-in' });

const SECRET = { type: 'password', autocomplete: 'new-password', isRequired: true, maxLength: 512 } as const;
const PASSWORD: FormKind<{ readonly name: string }, OpenCall> = {
	// Browsers keep the new password under this name.
	more: ({ name }) => html`<input type="hidden" name="username" autocomplete="username" value="${name}">`,
	fields: [
		{ ...SECRET, name: 'password', label: 'enter.password', hint: 'enter.hint' },
		{ ...SECRET, name: 'repeat', label: 'enter.repeat' },
	],
	submit: 'enter.submit',
};
const FORGOTTEN: FormKind<null, OpenCall> = {
	fields: [{ name: 'name', label: 'login.name', autocomplete: 'username', isRequired: true, maxLength: 254 }],
	submit: 'forgotten.submit',
};

export function enterPages({ portal, mails, logger }: Pick<PortalParts, 'logger' | 'mails' | 'portal'>): AnyPage[] {
	const { login, links } = portal;

	const enterPage = async (call: OpenCall, problem?: Refusal): Promise<PortalAnswer> => {
		const { say } = call;
		const secret = call.params.secret ?? '';
		const found = await login.findLink(secret);
		const title = say('enter.title');
		if (!found) return page({ title, body: notice('bad', say('enter.over')), status: 404 });
		const body = html`<p>${say('enter.hello', { name: found.name })}</p>
${formPart(call, PASSWORD, found, { action: `/portal/enter/${secret}`, refusal: problem })}`;
		return page({ title, body, status: problem ? 400 : 200 });
	};
	const forgottenPage = (call: OpenCall, isDone = false): PortalAnswer => {
		const { say } = call;
		const ask = html`<p>${say('forgotten.hint')}</p>
${formPart(call, FORGOTTEN, null, { action: '/portal/forgotten' })}`;
		const body = !mails.isOpen
			? html`<p>${say('forgotten.noMail')}</p>`
			: isDone
				? notice('good', say('forgotten.done'))
				: ask;
		return page({ title: say('forgotten.title'), body });
	};

	return [
		{ path: '/portal/enter/:secret', method: 'GET', right: 'anyone', handle: (call) => enterPage(call) },
		{
			path: '/portal/enter/:secret',
			method: 'POST',
			right: 'anyone',
			async handle(call: OpenCall) {
				const { password = '', repeat = '' } = call.form;
				const { say } = call;
				if (password !== repeat) return enterPage(call, { repeat: say('problems.different') });
				try {
					const answer = await login.byLink(call.params.secret ?? '', password, clientOf(call));
					if (answer.state === 'refused') return enterPage(call);
					keepSession(call, answer.session);
					const redirectTo = answer.state === 'in' ? '/portal' : '/portal/login/factor';
					return { redirectTo, notice: say('enter.done') };
				} catch (error) {
					if (!(error instanceof PasswordError)) throw error;
					return enterPage(call, { password: say(`problems.${error.why}`) });
				}
			},
		},
		{ path: '/portal/forgotten', method: 'GET', right: 'anyone', handle: async (call) => forgottenPage(call) },
		{
			path: '/portal/forgotten',
			method: 'POST',
			right: 'anyone',
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
