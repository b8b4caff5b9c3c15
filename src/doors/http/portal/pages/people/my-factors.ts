// The pages on which people add and remove their second factors.

import { getAsset } from '../../../../../base/pages/assets.ts';
import { html } from '../../../../../base/pages/html.ts';
import type { Portal, ShownApp } from '../../../../../people/portal-users/portal.ts';
import { csrfField } from '../../csrf.ts';
import { field, form, notice } from '../../pieces.ts';
import type { PortalAnswer, PortalCall, PortalPage } from '../../portal-page.ts';
import { ME_HELP, renewed } from './me.ts';
import { clientOf } from './session-cookie.ts';
import { readJson } from './sign-in.ts';

export function myFactorPages({ portal: { own } }: { readonly portal: Portal }): PortalPage[] {
	const change = { method: 'POST', right: 'signed-in', needsProof: true } as const;

	const appPage = (call: PortalCall, app: ShownApp, problem?: string): PortalAnswer => {
		const { me } = call.texts.people;
		const picture = `data:image/svg+xml;base64,${Buffer.from(app.qr).toString('base64')}`;
		const body = html`<p>${me.scan}</p>
<p><img src="${picture}" alt="${me.key}: ${app.secret}" width="220" height="220"></p>
<p>${me.key}: <code>${app.secret.replace(/(.{4})(?=.)/g, '$1 ')}</code></p>
${form(call, {
	action: '/portal/me/app/confirm',
	body: field({
		...{ name: 'code', label: me.code, autocomplete: 'one-time-code', isRequired: true, maxLength: 20, problem },
	}),
	submit: me.confirmApp,
})}<p><a href="/portal/me">${me.back}</a></p>
`;
		return {
			page: { title: me.addApp, section: 'me', body, help: ME_HELP },
			status: problem === undefined ? 200 : 400,
		};
	};
	const passkeyPage = async (call: PortalCall, problem?: string): Promise<PortalAnswer> => {
		const { me, factor } = call.texts.people;
		const creation = await own.beginPasskey(call.viewer);
		const label = { name: 'label', label: me.passkeyLabel, maxLength: 60, isRequired: true };
		const body = html`${problem !== undefined && notice('bad', problem)}<p>${me.passkeyHint}</p>
<form method="post" action="/portal/me/passkey" id="passkey" data-failed="${factor.passkeyFailed}" hidden>
${csrfField(call)}<input type="hidden" name="answer">${field(label)}<button type="button">${me.addPasskey}</button>
<p class="problem" role="alert"></p></form>
<p><a href="/portal/me">${me.back}</a></p>
`;
		return {
			page: {
				...{ title: me.addPasskey, section: 'me', body, help: ME_HELP },
				...{ data: { creation }, scripts: [getAsset('portal-passkey.js')] },
			},
			status: problem === undefined ? 200 : 400,
		};
	};

	return [
		{
			...{ path: '/portal/me/app', ...change },
			async handle(call) {
				const app = await own.beginApp(call.viewer);
				return { redirectTo: app ? '/portal/me/app' : '/portal/me' };
			},
		},
		{
			...{ path: '/portal/me/app', method: 'GET', right: 'signed-in', needsProof: true },
			async handle(call) {
				const app = await own.pendingApp(call.viewer);
				return app ? appPage(call, app) : { redirectTo: '/portal/me' };
			},
		},
		{
			...{ path: '/portal/me/app/confirm', ...change },
			async handle(call) {
				const { problems, me } = call.texts.people;
				const done = await own.confirmApp(call.viewer, (call.form.code ?? '').slice(0, 100), clientOf(call));
				if (done) return renewed(call, done, me.factorAdded);
				const app = await own.pendingApp(call.viewer);
				return app ? appPage(call, app, problems.code) : { redirectTo: '/portal/me' };
			},
		},
		{
			...{ path: '/portal/me/app/remove', ...change },
			async handle(call) {
				const done = await own.removeApp(call.viewer, clientOf(call));
				return done ? renewed(call, done, call.texts.people.me.factorRemoved) : { redirectTo: '/portal/me' };
			},
		},
		{
			...{ path: '/portal/me/passkey', method: 'GET', right: 'signed-in', needsProof: true },
			handle: async (call) => (own.canHavePasskeys() ? passkeyPage(call) : { redirectTo: '/portal/me' }),
		},
		{
			...{ path: '/portal/me/passkey', ...change },
			async handle(call) {
				const { answer, label = '' } = call.form;
				const done = await own.addPasskey(call.viewer, readJson(answer), label, clientOf(call));
				if (done) return renewed(call, done, call.texts.people.me.factorAdded);
				return passkeyPage(call, call.texts.people.problems.passkey);
			},
		},
		{
			...{ path: '/portal/me/passkey/remove', ...change },
			async handle(call) {
				const done = await own.removePasskey(call.viewer, Number(call.form.id), clientOf(call));
				return done ? renewed(call, done, call.texts.people.me.factorRemoved) : { redirectTo: '/portal/me' };
			},
		},
		{
			...{ path: '/portal/me/recovery', ...change },
			async handle(call) {
				const { me } = call.texts.people;
				const { hasApp, passkeys } = await own.factors(call.viewer);
				if (!hasApp && passkeys.length === 0) return { redirectTo: '/portal/me' };
				const codes = await own.makeRecoveryCodes(call.viewer);
				const body = html`${notice('plain', me.recoveryShown)}<ul class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<p><a href="/portal/me">${me.back}</a></p>
`;
				return { page: { title: me.recovery, section: 'me', body, help: ME_HELP } };
			},
		},
	];
}
