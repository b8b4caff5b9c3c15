// The page on which people set a password after they have followed a link, and the page on which they request such a
// link.

import { html } from '../../../../../base/pages/html.ts';
import { readJson } from '../../../../../base/read-json.ts';
import { PasswordError } from '../../../../../people/portal-users/portal.ts';
import { type FormKind, formPart } from '../../kinds/form-part.ts';
import { pagesOf } from '../../kinds/pages-of.ts';
import type { PortalParts } from '../../parts.ts';
import { field, notice } from '../../pieces.ts';
import { type AnyPage, get, type OpenCall, type PortalAnswer, post } from '../../portal-page.ts';
import type { Refusal } from '../../refusals.ts';
import { clientOf, keepSession } from '../../session-cookie.ts';
import { passkeyPart, passkeyScripts, providersPart } from '../../ways-in.ts';

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
	const { login, byPasskey, links, signOn } = portal;

	const enterPage = async (call: OpenCall, problem?: Refusal): Promise<PortalAnswer> => {
		const { say } = call;
		const secret = call.params.secret ?? '';
		const found = await login.findLink(secret);
		const title = say('enter.title');
		if (!found) return page({ title, body: notice('bad', say('enter.over')), status: 404 });
		const ways = providersPart(call, signOn.list(), {
			path: ({ name }) => `/portal/enter/${secret}/by/${name}`,
			text: 'sso.enter',
		});
		const canHavePasskey = (await byPasskey.creation(secret)) !== undefined;
		const passkey = html`<p><a class="button plain" href="/portal/enter/${secret}/passkey">${say('enter.passkey')}</a></p>
`;
		const body = html`<p>${say('enter.hello', { name: found.name })}</p>
${ways}${canHavePasskey && passkey}${formPart(call, PASSWORD, found, { action: `/portal/enter/${secret}`, refusal: problem })}`;
		return page({ title, body, status: problem ? 400 : 200 });
	};
	const passkeyPage = async (call: OpenCall, problem?: string): Promise<PortalAnswer> => {
		const { say } = call;
		const { secret } = call.params;
		const creation = await byPasskey.creation(secret);
		if (!creation) return enterPage(call);
		const label = { name: 'label', label: say('me.passkeyLabel'), maxLength: 60, isRequired: true };
		const add = { action: `/portal/enter/${secret}/passkey`, body: field(label), label: say('me.addPasskey') };
		const body = html`${problem !== undefined && notice('bad', problem)}<p>${say('enter.passkeyHint')}</p>
${passkeyPart(call, add)}<p><a href="/portal/enter/${secret}">${say('enter.byPassword')}</a></p>
`;
		const status = problem === undefined ? 200 : 400;
		return page({ title: say('enter.passkey'), body, data: { creation }, scripts: passkeyScripts(), status });
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
		get('/portal/enter/:secret', 'anyone', (call) => enterPage(call)),
		post('/portal/enter/:secret', 'anyone', async (call) => {
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
		}),
		get('/portal/enter/:secret/passkey', 'anyone', (call) => passkeyPage(call)),
		post('/portal/enter/:secret/passkey', 'anyone', async (call) => {
			const { answer, label = '' } = call.form;
			const done = await byPasskey.byLink(call.params.secret, readJson(answer), label, clientOf(call));
			if (done.state === 'refused') return passkeyPage(call, call.say('problems.passkey'));
			keepSession(call, done.session);
			return { redirectTo: '/portal', notice: call.say('enter.passkeyDone') };
		}),
		get('/portal/forgotten', 'anyone', async (call) => forgottenPage(call)),
		post('/portal/forgotten', 'anyone', async (call) => {
			// The answer does not wait for the mail, so that its timing does not tell whether the user exists.
			const { name = '' } = call.form;
			if (mails.isOpen && name.length <= 254) {
				links
					.forgotten(name)
					.catch((err: unknown) => logger.error({ err }, 'a link for a forgotten password was not made'));
			}
			return forgottenPage(call, true);
		}),
	];
}
