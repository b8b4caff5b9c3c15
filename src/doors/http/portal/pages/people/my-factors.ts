// The second factors of the viewer: what is set up, and how people add and remove them.

import { getAsset } from '../../../../../base/pages/assets.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import { readJson } from '../../../../../base/read-json.ts';
import type { Portal, Renewed, ShownApp, ShownFactors } from '../../../../../people/portal-users/portal.ts';
import type { Action, Actions, Place } from '../../kinds/actions.ts';
import { tableOf } from '../../kinds/columns.ts';
import { type FormKind, formPart } from '../../kinds/form-part.ts';
import { pagesOf } from '../../kinds/pages-of.ts';
import type { PortalParts } from '../../parts.ts';
import { field, notice } from '../../pieces.ts';
import { get, type PortalAnswer, type PortalCall, type PortalPage, post } from '../../portal-page.ts';
import { clientOf, inNewSession, keepSession } from '../../session-cookie.ts';
import type { TextKey } from '../../texts.ts';
import { passkeyPart, passkeyScripts } from '../../ways-in.ts';

export const ME = '/portal/me';
const { page } = pagesOf({ section: 'me', help: '/docs/portal#my-settings' });
/** The form for the first code of an app. A code works once, so it is not written back. */
const CODE: FormKind<null> = {
	fields: [
		{
			name: 'code',
			label: 'me.code',
			autocomplete: 'one-time-code',
			isRequired: true,
			maxLength: 20,
			isSecret: true,
		},
	],
	submit: 'words.confirm',
};
/** On paper there is nothing but the codes, and what they are. */
const PRINTED = '@media print { body > :not(.portal), .portal > nav, .buttons, .on-screen { display: none } }';
const PROVEN = { right: 'signed-in', needsProof: true } as const;
const NOTHING_DONE = { redirectTo: ME } as const;

export function factorsPart(call: PortalCall, factors: ShownFactors, place: Place, canHavePasskeys: boolean): Html {
	const { say } = call;
	const { hasApp, passkeys, recoveryCodesLeft } = factors;
	const app = hasApp
		? html`<p>${say('me.appOn')}</p>${place('app/remove')}`
		: html`<p>${say('me.appOff')}</p>${place('app')}`;
	const list = tableOf<ShownFactors['passkeys'][number]>(
		call,
		{
			caption: 'me.passkeys',
			isCaptionUnseen: true,
			columns: [
				['me.passkeyLabel', ({ label }) => label],
				['me.created', ({ createdAt }) => createdAt],
				['me.used', ({ usedAt }) => usedAt],
				['words.takeAway', ({ id }) => place('passkey/remove', { id })],
			],
			none: () => html`<p>${say('me.noPasskeys')}</p>`,
		},
		passkeys,
	);
	const add = canHavePasskeys ? html`<a href="${ME}/passkey">${say('me.addPasskey')}</a>` : say('me.noHost');
	const recovery = html`<h3>${say('me.recovery')}</h3><p>${say('me.recoveryLeft', { count: recoveryCodesLeft })}</p>
${place('recovery')}`;
	return html`<section><h2>${say('me.factorsTitle')}</h2><p>${say('me.factorsHint')}</p>
<h3>${say('me.app')}</h3>${app}
<h3>${say('me.passkeys')}</h3>${list}<p>${add}</p>
${(hasApp || passkeys.length > 0) && recovery}</section>
`;
}

export function factorActions({ own }: Pick<Portal, 'own'>): Actions<ShownFactors> {
	const removing = (submit: TextKey, remove: (call: PortalCall) => ReturnType<typeof own.removeApp>) =>
		({
			needsProof: true,
			submit,
			tone: 'danger',
			async act(_, call) {
				const done = await remove(call);
				return done ? renewed(call, done, 'me.factorRemoved') : NOTHING_DONE;
			},
		}) satisfies Action<ShownFactors>;
	return {
		app: {
			needsProof: true,
			submit: 'me.addApp',
			act: async (_, call) => ((await own.beginApp(call.viewer)) ? { redirectTo: `${ME}/app` } : NOTHING_DONE),
		},
		'app/remove': removing('me.removeApp', (call) => own.removeApp(call.viewer, clientOf(call))),
		'passkey/remove': removing('words.takeAway', (call) =>
			own.removePasskey(call.viewer, Number(call.form.id), clientOf(call)),
		),
		recovery: {
			needsProof: true,
			submit: 'me.makeRecovery',
			tone: 'plain',
			async act({ hasApp, passkeys }, call) {
				if (!hasApp && passkeys.length === 0) return NOTHING_DONE;
				return codesPage(call, await own.makeRecoveryCodes(call.viewer));
			},
		},
	};
}

export function factorPages({ portal }: Pick<PortalParts, 'portal'>): PortalPage[] {
	const { own } = portal;
	/** Goes on after a new factor; after the first one with the recovery codes that were made along with it. */
	const added = async (call: PortalCall, done: Renewed) => {
		if (!done.recoveryCodes) return renewed(call, done, 'me.factorAdded');
		const next = await inNewSession(call, done.session, portal);
		return { ...codesPage(next, done.recoveryCodes), shownTo: next.viewer };
	};
	return [
		get(`${ME}/app`, PROVEN, async (call) => {
			const app = await own.pendingApp(call.viewer);
			return app ? appPage(call, app) : NOTHING_DONE;
		}),
		post(`${ME}/app/confirm`, PROVEN, async (call) => {
			const done = await own.confirmApp(call.viewer, (call.form.code ?? '').slice(0, 100), clientOf(call));
			if (done) return added(call, done);
			const app = await own.pendingApp(call.viewer);
			return app ? appPage(call, app, call.say('problems.code')) : NOTHING_DONE;
		}),
		get(`${ME}/passkey`, PROVEN, async (call) =>
			own.canHavePasskeys() ? passkeyPage(call, await own.beginPasskey(call.viewer)) : NOTHING_DONE,
		),
		post(`${ME}/passkey`, PROVEN, async (call) => {
			const { answer, label = '' } = call.form;
			const done = await own.addPasskey(call.viewer, readJson(answer), label, clientOf(call));
			if (done) return added(call, done);
			return passkeyPage(call, await own.beginPasskey(call.viewer), call.say('problems.passkey'));
		}),
	];
}

/** Gives the browser the cookie of the new session after a change, and goes back to the settings with a message. */
export function renewed(call: PortalCall, change: Renewed, said: TextKey): PortalAnswer {
	keepSession(call, change.session);
	return { redirectTo: ME, notice: call.say(said) };
}

/** Returns the page with new recovery codes, which no other page shows again. */
function codesPage(call: PortalCall, codes: readonly string[]) {
	const { say } = call;
	const file = `data:text/plain;charset=utf-8,${encodeURIComponent(`${codes.join('\n')}\n`)}`;
	const body = html`${notice('plain', say('me.recoveryShown'))}<p>${call.viewer.user.name}</p>
<ul class="codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
<div id="codes-buttons" class="buttons" data-copied="${say('me.recoveryCopied')}" data-failed="${say('me.recoveryNotCopied')}" hidden>
<button type="button" class="plain" id="codes-copy">${say('me.copyRecovery')}</button> <button type="button" class="plain" id="codes-print">${say('me.printRecovery')}</button>
<p id="codes-said" role="status"></p></div>
<p class="on-screen"><a href="${file}" download="recovery-codes.txt">${say('me.saveRecovery')}</a></p>
<div class="on-screen">${backPart(call)}</div>`;
	return page({ title: say('me.recovery'), body, style: PRINTED, scripts: [getAsset('portal-codes.js')] });
}

function backPart({ say }: PortalCall): Html {
	return html`<p><a href="${ME}">${say('me.back')}</a></p>
`;
}

function appPage(call: PortalCall, app: ShownApp, problem?: string): PortalAnswer {
	const { say } = call;
	const picture = `data:image/svg+xml;base64,${Buffer.from(app.qr).toString('base64')}`;
	const placed = { action: `${ME}/app/confirm`, refusal: problem === undefined ? undefined : { code: problem } };
	const body = html`<p>${say('me.scan')}</p>
<p><img src="${picture}" alt="${say('words.key')}: ${app.secret}" width="220" height="220"></p>
<p>${say('words.key')}: <code>${app.secret.replace(/(.{4})(?=.)/g, '$1 ')}</code></p>
${formPart(call, CODE, null, placed)}${backPart(call)}`;
	return page({ title: say('me.addApp'), body, status: problem === undefined ? 200 : 400 });
}

/** Returns the page on which a script has the browser make a passkey, with the options for it. */
function passkeyPage(call: PortalCall, creation: object, problem?: string): PortalAnswer {
	const { say } = call;
	const label = { name: 'label', label: say('me.passkeyLabel'), maxLength: 60, isRequired: true };
	const add = { action: `${ME}/passkey`, body: field(label), label: say('me.addPasskey') };
	const body = html`${problem !== undefined && notice('bad', problem)}<p>${say('me.passkeyHint')}</p>
${passkeyPart(call, add)}${backPart(call)}`;
	return page({
		title: say('me.addPasskey'),
		body,
		data: { creation },
		scripts: passkeyScripts(),
		status: problem === undefined ? 200 : 400,
	});
}
