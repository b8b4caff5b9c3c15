// Shows, tries, saves and removes relay profiles, and shows presets.

import { ServiceError } from '../../../../../base/errors.ts';
import { maskCardNumbers } from '../../../../../base/log/card-numbers.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import { ProfileError } from '../../../../../work/relay/profiles/profile-problems.ts';
import { profileYaml } from '../../../../../work/relay/profiles/profile-yaml.ts';
import { ProfileChangedError } from '../../../../../work/relay/profiles/profiles.ts';
import type { HttpRooms } from '../../../rooms.ts';
import { definitions, form, time } from '../../parts.ts';
import type { PortalAnswer, PortalCall, PortalPage } from '../../portal-page.ts';
import { notThere, principalOf, refusalsOf } from './own.ts';
import { PARTIES, PARTIES_HELP } from './parties.ts';
import { type Editor, editorPage } from './profile-editor.ts';
import { trialPart, trialRefusal } from './profile-trial.ts';

const PROFILES = `${PARTIES}/profiles` as const;
/** An example is written back into the page, so it must not be large. */
const MAX_EXAMPLE_BYTES = 65_536;

const TEMPLATE = `name: MyProfile
description: What it is for
direction: replace
body: json
targetUri: https://partner.example/api
cards:
  - container: $.payment
    number: $.card.number
    expiryMonth: $.card.month
    expiryYear: $.card.year
    nameOnCard: $.card.holder
`;
const EXAMPLE = `{"payment": {"card": {"number": "4111111111111111", "month": "12", "year": "2030", "holder": "MARIE DUPONT"}}}`;

export function profilePages(rooms: HttpRooms): PortalPage[] {
	const { profiles } = rooms;
	const findOwn = async (call: PortalCall) => {
		const stored = await profiles.findStored(principalOf(call).ownerId, call.params.name);
		if (!stored) throw notThere();
		return stored;
	};
	return [
		{
			path: `${PARTIES}/new-profile`,
			method: 'GET',
			right: 'parties.change',
			async handle(call) {
				const preset = call.query.from === undefined ? undefined : profiles.findPreset(call.query.from);
				const text = preset ? profileYaml(preset) : TEMPLATE;
				return editorPage(call, { name: '', version: 0, text, example: preset ? '' : EXAMPLE });
			},
		},
		{
			path: `${PROFILES}/:name`,
			method: 'GET',
			right: 'parties.see',
			async handle(call) {
				const { profile, version, updatedAt } = await findOwn(call);
				const text = profileYaml(profile);
				if (call.viewer.has('parties.change')) return editorPage(call, { name: profile.name, version, text });
				const { parties: words } = call.texts.cards;
				const body = html`${definitions([
					[words.version, String(version)],
					[words.changed, time(updatedAt, call.language)],
				])}<pre tabindex="0">${text}</pre>`;
				return { page: { title: `${words.profile} ${profile.name}`, section: 'parties', body, help: PARTIES_HELP } };
			},
		},
		{ path: `${PROFILES}/save`, method: 'POST', right: 'parties.change', handle: (call) => save(rooms, call) },
		{ path: `${PROFILES}/try`, method: 'POST', right: 'parties.change', handle: (call) => tryIt(rooms, call) },
		{
			path: `${PROFILES}/:name/remove`,
			method: 'GET',
			right: 'parties.change',
			async handle(call) {
				const { name } = (await findOwn(call)).profile;
				const { parties: words } = call.texts.cards;
				const action = `${PROFILES}/${name}/remove`;
				const body = html`<p>${words.removeProfileText}</p>
${form(call, { action, submit: words.remove, tone: 'danger', body: html`` })}<p><a href="${PROFILES}/${name}">${call.texts.frame.back}</a></p>`;
				return { page: { title: `${words.remove}: ${name}`, section: 'parties', body, help: PARTIES_HELP } };
			},
		},
		{
			path: `${PROFILES}/:name/remove`,
			method: 'POST',
			right: 'parties.change',
			async handle(call) {
				const { ownerId, userId } = principalOf(call);
				const { actor } = call.viewer;
				const { name } = call.params;
				const entry = { actor, action: 'profile.remove', subject: `account ${userId}`, details: { name } };
				const isRemoved = await profiles.remove(ownerId, name, (transaction) => rooms.audit.record(entry, transaction));
				if (!isRemoved) throw notThere();
				return { redirectTo: PARTIES, notice: call.texts.cards.parties.removed };
			},
		},
		{
			path: `${PARTIES}/presets/:name`,
			method: 'GET',
			right: 'parties.see',
			async handle(call) {
				const preset = profiles.findPreset(call.params.name);
				if (!preset) throw notThere();
				const { parties: words } = call.texts.cards;
				const body = html`<p>${preset.description}</p><p>${words.presetText}</p><pre tabindex="0">${profileYaml(preset)}</pre>
${call.viewer.has('parties.change') && html`<p><a class="button" href="${PARTIES}/new-profile?from=${encodeURIComponent(preset.name)}">${words.copy}</a></p>`}`;
				return { page: { title: `${words.preset} ${preset.name}`, section: 'parties', body, help: PARTIES_HELP } };
			},
		},
	];
}

/** Reads the form of the editor. Browsers send a line break as two characters, which become one. */
function editorOf({ form: { name = '', version = '', text = '', example = '' } }: PortalCall): Editor {
	const plain = (typed: string) => typed.replaceAll('\r\n', '\n');
	return { name, version: Number.parseInt(version, 10) || 0, text: plain(text), example: plain(example) };
}

async function save(rooms: HttpRooms, call: PortalCall): Promise<PortalAnswer> {
	const { profiles, audit } = rooms;
	const { ownerId, userId } = principalOf(call);
	const { actor } = call.viewer;
	const { parties: words } = call.texts.cards;
	const editor = editorOf(call);
	const replacing = { name: editor.name || undefined, version: editor.version };
	try {
		const { profile } = await profiles.put(
			ownerId,
			editor.text,
			(transaction, { profile: { name }, version }) =>
				audit.record(
					{ actor, action: 'profile.put', subject: `account ${userId}`, details: { name, version } },
					transaction,
				),
			replacing,
		);
		return { redirectTo: `${PROFILES}/${profile.name}`, notice: words.saved };
	} catch (error) {
		if (error instanceof ProfileError) return editorPage(call, { ...editor, problems: error.problems });
		if (error instanceof ProfileChangedError) return editorPage(call, { ...editor, changed: error.current ?? null });
		const refusals = await refusalsOf(() => Promise.reject(error));
		return editorPage(call, { ...editor, refusal: Object.values(refusals ?? {}).join('; ') });
	}
}

async function tryIt(rooms: HttpRooms, call: PortalCall): Promise<PortalAnswer> {
	const editor = editorOf(call);
	const trial = await trialOf(rooms, call, editor);
	if (call.isLive) return { fragment: trial };
	return editorPage(call, { ...editor, trial });
}

async function trialOf(rooms: HttpRooms, call: PortalCall, { name, text, example = '' }: Editor): Promise<Html> {
	const { profiles, thirdParties, clock, settings } = rooms;
	const { ownerId } = principalOf(call);
	const { parties: words } = call.texts.cards;
	const body = Buffer.from(example);
	if (body.length === 0) return trialRefusal(call, words.noExample);
	if (body.length > MAX_EXAMPLE_BYTES) return trialRefusal(call, words.largeExample);
	try {
		// The portal shows a profile with stars in place of its secrets, so the typed text has these stars too. The
		// secrets are taken from the stored profile, because stars alone would be refused.
		const stored = name === '' ? undefined : await profiles.find(ownerId, name);
		const { bodies } = thirdParties;
		const profile = await bodies.parseProfile(ownerId, text, { environment: settings.environment, stored });
		const tried = await bodies.tryProfile({ account: ownerId, profile, body: Buffer.from(body) }, clock.now());
		return trialPart(call, body, tried);
	} catch (error) {
		// A ServiceError about a profile or an example can be shown, because its message names places and rules, never
		// content.
		if (!(error instanceof ServiceError) || error.status >= 500) throw error;
		return trialRefusal(call, maskCardNumbers(error.moreInfo ?? error.message));
	}
}
