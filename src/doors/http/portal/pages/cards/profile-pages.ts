// Shows, tries, saves and removes relay profiles, and shows presets.

import { ServiceError } from '../../../../../base/errors.ts';
import { maskCardNumbers } from '../../../../../base/log/card-numbers.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import { ProfileError } from '../../../../../work/relay/profiles/profile-problems.ts';
import { profileYaml } from '../../../../../work/relay/profiles/profile-yaml.ts';
import { ProfileChangedError, type StoredProfile } from '../../../../../work/relay/profiles/profiles.ts';
import { wordsFor } from '../../failure-words.ts';
import { factsOf } from '../../kinds/columns.ts';
import { thingOf } from '../../kinds/group.ts';
import { historyLink } from '../../kinds/history-link.ts';
import { principalOf } from '../../own.ts';
import type { PortalParts } from '../../parts.ts';
import { joined, notice } from '../../pieces.ts';
import { get, type PortalAnswer, type PortalCall, type PortalPage, post } from '../../portal-page.ts';
import { notThere, refusalOf } from '../../refusals.ts';
import { PARTIES, partyPages } from './parties.ts';
import { type Editor, editorPage, problemList } from './profile-editor.ts';
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

type Parts = Pick<PortalParts, 'audit' | 'bodies' | 'clock' | 'profiles' | 'settings'>;

export function profilePages(parts: Parts): PortalPage[] {
	const { profiles, audit } = parts;
	const find = (call: PortalCall): Promise<StoredProfile | undefined> =>
		profiles.findStored(principalOf(call).ownerId, call.params.name);
	return [
		get(`${PARTIES}/new-profile`, 'parties.change', async ({ query, ...call }) => {
			const preset = query.from === undefined ? undefined : profiles.findPreset(query.from);
			const text = preset ? profileYaml(preset) : TEMPLATE;
			return editorPage({ query, ...call }, { name: '', version: 0, text, example: preset ? '' : EXAMPLE });
		}),
		get(`${PROFILES}/:name`, 'parties.see', async (call) => {
			const stored = await thingOf({ find }, call);
			const { name } = stored.profile;
			const text = profileYaml(stored.profile);
			if (call.viewer.has('parties.change')) return editorPage(call, { name, version: stored.version, text });
			const facts = factsOf<StoredProfile>(
				call,
				[
					['words.version', ({ version }) => String(version)],
					['words.changed', ({ updatedAt }) => updatedAt],
				],
				stored,
			);
			const title = `${call.say('parties.profile')} ${name}`;
			return partyPages.page({
				title,
				body: html`${facts}<pre tabindex="0">${text}</pre>${historyLink(call, { about: 'profile', name })}`,
			});
		}),
		post(`${PROFILES}/save`, 'parties.change', (call) => save(parts, call)),
		post(`${PROFILES}/try`, 'parties.change', (call) => tryIt(parts, call)),
		...partyPages.question<StoredProfile>(`${PROFILES}/:name/remove`, 'parties.change', {
			title: ({ profile }, { say }) => `${say('words.remove')}: ${profile.name}`,
			find,
			says: (_, { say }) => html`<p>${say('parties.removeProfileText')}</p>`,
			submit: 'words.remove',
			back: ({ profile }) => `${PROFILES}/${profile.name}`,
			async act({ profile: { name } }, call) {
				const { ownerId, userId } = principalOf(call);
				const { actor } = call.viewer;
				const entry = { actor, action: 'profile.remove', subject: `account ${userId}`, details: { name } };
				const isRemoved = await profiles.remove(ownerId, name, (transaction) => audit.record(entry, transaction));
				if (!isRemoved) throw notThere();
				return { redirectTo: PARTIES, notice: call.say('parties.removed') };
			},
		}),
		...partyPages.detail(`${PARTIES}/presets/:name`, 'parties.see', {
			find: async ({ params }: PortalCall) => profiles.findPreset(params.name),
			title: ({ name }, { say }) => `${say('parties.preset')} ${name}`,
			body: (preset, { say, viewer }) =>
				html`<p>${preset.description}</p><p>${say('parties.presetText')}</p><pre tabindex="0">${profileYaml(preset)}</pre>
${viewer.has('parties.change') && html`<p><a class="button" href="${PARTIES}/new-profile?from=${encodeURIComponent(preset.name)}">${say('parties.copy')}</a></p>`}`,
		}),
	];
}

/** Reads the form of the editor. Browsers send a line break as two characters, which become one. */
function editorOf({ form: { name = '', version = '', text = '', example = '' } }: PortalCall): Editor {
	const plain = (typed: string) => typed.replaceAll('\r\n', '\n');
	return { name, version: Number.parseInt(version, 10) || 0, text: plain(text), example: plain(example) };
}

async function save({ profiles, audit }: Parts, call: PortalCall): Promise<PortalAnswer> {
	const { ownerId, userId } = principalOf(call);
	const { actor } = call.viewer;
	const editor = editorOf(call);
	const replacing = { name: editor.name || undefined, version: editor.version };
	const note: Parameters<typeof profiles.put>[2] = (transaction, { profile: { name }, version }) =>
		audit.record(
			{ actor, action: 'profile.put', subject: `account ${userId}`, details: { name, version } },
			transaction,
		);
	try {
		const { profile } = await profiles.put(ownerId, editor.text, note, replacing);
		return { redirectTo: `${PROFILES}/${profile.name}`, notice: call.say('parties.saved') };
	} catch (error) {
		if (error instanceof ProfileError) return editorPage(call, { ...editor, problems: error.problems });
		if (error instanceof ProfileChangedError) return editorPage(call, { ...editor, changed: error.current ?? null });
		return editorPage(call, { ...editor, refusal: joined(Object.values(refusalOf(error, 'refusals', call))) });
	}
}

async function tryIt(parts: Parts, call: PortalCall): Promise<PortalAnswer> {
	const editor = editorOf(call);
	const trial = await trialOf(parts, call, editor);
	return call.isPart ? { fragment: trial } : editorPage(call, { ...editor, trial });
}

async function trialOf(parts: Parts, call: PortalCall, { name, text, example = '' }: Editor): Promise<Html> {
	const { profiles, bodies, clock, settings } = parts;
	const { ownerId } = principalOf(call);
	const body = Buffer.from(example);
	if (body.length === 0) return trialRefusal(call, notice('bad', call.say('parties.noExample')));
	if (body.length > MAX_EXAMPLE_BYTES) return trialRefusal(call, notice('bad', call.say('parties.largeExample')));
	try {
		// The portal shows a profile with stars in place of its secrets, so the typed text has these stars too. The
		// secrets are taken from the stored profile, because stars alone would be refused.
		const stored = name === '' ? undefined : await profiles.find(ownerId, name);
		const profile = await bodies.parseProfile(ownerId, text, { environment: settings.environment, stored });
		const tried = await bodies.tryProfile({ account: ownerId, profile, body: Buffer.from(body) }, clock.now());
		return trialPart(call, body, tried);
	} catch (error) {
		if (error instanceof ProfileError) return trialRefusal(call, problemList(call, error.problems));
		// A ServiceError about a profile or an example can be shown, because its message names places and rules, never
		// content.
		if (!(error instanceof ServiceError) || error.status >= 500) throw error;
		const reason = maskCardNumbers(error.moreInfo ?? error.message);
		return trialRefusal(call, notice('bad', wordsFor(call, { reason, told: error.told })));
	}
}
