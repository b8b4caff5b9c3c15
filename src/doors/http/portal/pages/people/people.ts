// The people of an account: managers invite, change, block and remove them.

import { ServiceError } from '../../../../../base/errors.ts';
import { isMailLimit } from '../../../../../base/mail/mail-limits.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import { nameAlone } from '../../../../../people/identity/accounts/user-id.ts';
import { mayGive } from '../../../../../people/portal-users/grants.ts';
import { ACCOUNT_ROLES, type Portal, type PortalUser } from '../../../../../people/portal-users/portal.ts';
import { isAccountRole } from '../../../../../people/portal-users/rights.ts';
import { whyPart } from '../../failure-words.ts';
import type { Action, Actions } from '../../kinds/actions.ts';
import { link, statesOf } from '../../kinds/columns.ts';
import type { Choices } from '../../kinds/form-part.ts';
import { numberOf } from '../../kinds/list.ts';
import { fileOf, findPage, type PagedRows, paged } from '../../kinds/paged-rows.ts';
import { pagesOf } from '../../kinds/pages-of.ts';
import type { PortalParts } from '../../parts.ts';
import { emptyState, notice } from '../../pieces.ts';
import type { PortalAnswer, PortalCall, PortalPage } from '../../portal-page.ts';
import { ForbiddenError, RefusedFormError } from '../../refusals.ts';
import { isPortalLanguage, PORTAL_LANGUAGES } from '../../texts.ts';

const PATH = '/portal/people';
const PAGE_LENGTH = 50;
const FILE = fileOf<PortalUser>(
	['name', ({ name }) => nameAlone(name)],
	'role',
	['state', stateIn],
	['secondFactor', ({ hasFactor }) => hasFactor],
	['invitedAt', ({ createdAt }) => createdAt],
	'lastLoginAt',
);
const { list, detail, page } = pagesOf({ section: 'people', help: '/docs/portal#people' });

export function peoplePages({ portal }: Pick<PortalParts, 'portal'>): PortalPage[] {
	const { users } = portal;
	const people: PagedRows<PortalUser, number> = {
		length: PAGE_LENGTH,
		ask({ viewer }) {
			const accountId = accountOf(viewer);
			return { list: (page) => users.list(accountId, page), count: (most) => users.count(accountId, most) };
		},
		keyOf: ({ id }) => id,
		readKey: numberOf,
	};
	return [
		...list<PortalUser>(PATH, 'people.see', {
			title: 'frame.sections.people',
			...paged(people, FILE),
			above: ({ say }) => html`<p>${say('people.hint')}</p>
`,
			async find(call, asked) {
				const found = await findPage(people, call, asked);
				const isAlone = !asked.isNarrowed && found.rows.length <= 1;
				return { ...found, before: isAlone ? emptyState(call.say('people.none')) : found.before };
			},
			caption: 'frame.sections.people',
			columns: [
				['words.name', nameOf],
				['me.role', ({ role }, { say }) => say(`roles.${role}`)],
				['words.state', stateOf],
				['words.secondFactor', ({ hasFactor }, { say }) => say(hasFactor ? 'words.yes' : 'words.no')],
				['people.lastLogin', ({ lastLoginAt }, { say }) => lastLoginAt ?? say('words.never')],
			],
			none: 'people.none',
			actions: { '': inviting(portal) },
			below: ({ say, viewer }, place) =>
				viewer.has('people.change') &&
				html`<section><h2>${say('people.invite')}</h2>${place('')}</section>
`,
		}),
		...detail<PortalUser>(`${PATH}/:id`, 'people.change', {
			title: ({ name }) => nameAlone(name),
			find: async ({ viewer, params }) =>
				/^\d{1,15}$/.test(params.id) ? users.find(accountOf(viewer), Number(params.id)) : undefined,
			// Without the account in front, because that would tell whether another account has a user of this name.
			history: ({ name }) => ({ about: 'person', name: nameAlone(name) }),
			actions: userActions(portal),
			body(user, call, { place }) {
				const { say } = call;
				const change = html`<section><h2>${say('words.change')}</h2>${place('role')}
${!mayGiveRole(call, user.role) && html`<p class="hint">${say('people.needsFactor')}</p>`}${['link', 'factors', 'block', 'unblock'].map((name) => place(name))}
<details><summary>${say('people.remove')}</summary><p>${say('people.removeHint')}</p>${place('remove')}</details></section>
`;
				return html`<p>${stateOf(user, call)}</p>
${user.id === call.viewer.user.id ? notice('plain', say('people.own')) : change}${backPart(call)}`;
			},
		}),
	];
}

function inviting({ users, links }: Portal): Action<null> {
	return {
		right: 'people.change',
		fields: [
			{
				name: 'name',
				label: 'people.newName',
				hint: 'people.newNameHint',
				isRequired: true,
				maxLength: 254,
				autocomplete: 'off',
			},
			{ name: 'role', label: 'me.role', value: () => 'clerk', choices: (_, call) => roleChoices(call, 'clerk') },
			{
				name: 'language',
				label: 'words.language',
				value: (_, { language }) => language,
				choices: () => Object.entries(PORTAL_LANGUAGES),
			},
		],
		submit: 'people.submit',
		async act(_, call) {
			const { name = '', role = '', language = '' } = call.form;
			if (!mayGiveRole(call, role)) throw new RefusedFormError({ name: call.say('people.needsFactor') });
			const { actor } = call.viewer;
			const of = { accountId: accountOf(call.viewer), role };
			const chosen = isPortalLanguage(language) ? language : null;
			const user = await users.add({ name, of, language: chosen, chosenBy: 'account' }, actor);
			try {
				return await linkAnswer(call, links, user);
			} catch (error) {
				// Whoever cannot be sent a link is not invited.
				if (!isMailLimit(error)) throw error;
				await users.remove(user.id, actor);
				const reason = error.moreInfo ?? error.message;
				throw new RefusedFormError({ name: whyPart(call, { reason, told: error.told }) });
			}
		},
	};
}

function userActions({ users, links }: Portal): Actions<PortalUser> {
	/** Returns a change of a user that leads back to the page about them, unless `act` answers otherwise. */
	const changing = (
		action: Omit<Action<PortalUser>, 'act'>,
		act: (user: PortalUser, call: PortalCall) => Promise<PortalAnswer | undefined>,
	): Action<PortalUser> => ({
		...action,
		async act(user, call) {
			// Nobody may change their own user, so that nobody locks themselves out or gives themselves a role.
			if (user.id === call.viewer.user.id) throw new ForbiddenError();
			return (await act(user, call)) ?? 'people.saved';
		},
	});
	const blocking = (isBlocked: boolean) =>
		changing(
			{
				isOffered: ({ blockedAt }) => (blockedAt === null) === isBlocked,
				submit: isBlocked ? 'people.block' : 'people.unblock',
				tone: isBlocked ? 'danger' : 'plain',
			},
			async ({ id }, { viewer }) => void (await users.setBlocked(id, isBlocked, viewer.actor)),
		);
	return {
		role: changing(
			{
				fields: [
					{
						name: 'role',
						label: 'me.role',
						value: ({ role }) => role,
						choices: ({ role }, call) => roleChoices(call, role),
					},
				],
				submit: 'people.setRole',
			},
			async ({ id }, call) => {
				const { role = '' } = call.form;
				requireMayGive(call, role);
				await users.setRole(id, role, call.viewer.actor);
			},
		),
		block: blocking(true),
		unblock: blocking(false),
		factors: changing(
			{
				isOffered: ({ role, hasFactor }, call) => mayGiveRole(call, role) && hasFactor,
				submit: 'people.resetFactors',
				tone: 'danger',
			},
			async ({ id, role }, call) => {
				requireMayGive(call, role);
				await users.resetFactors(id, call.viewer.actor);
			},
		),
		link: changing(
			{
				isOffered: ({ role, blockedAt }, call) => mayGiveRole(call, role) && blockedAt === null,
				submit: 'people.newLink',
				tone: 'plain',
			},
			async (user, call) => {
				requireMayGive(call, user.role);
				return linkAnswer(call, links, user);
			},
		),
		remove: changing({ submit: 'people.remove', tone: 'danger' }, async ({ id }, { viewer, say }) => {
			await users.remove(id, viewer.actor);
			return { redirectTo: PATH, notice: say('people.removed') };
		}),
	};
}

/** Sends somebody a link with which they set a password, or shows it if they cannot be sent a mail. */
async function linkAnswer(call: PortalCall, links: Portal['links'], user: PortalUser): Promise<PortalAnswer> {
	const { say, viewer } = call;
	if (links.canMail(user)) {
		await links.mail(user.id, user.hasPassword ? 'forgotten' : 'invitation', viewer.actor);
		return { redirectTo: PATH, notice: say('people.mailed') };
	}
	const { url } = await links.make(user.id, viewer.actor);
	const body = html`${notice('plain', say('people.linkHint'))}<p><code class="link">${url.reveal()}</code></p>
${backPart(call)}`;
	return page({ title: say('people.linkTitle', { name: nameAlone(user.name) }), body });
}

function backPart({ say }: PortalCall): Html {
	return html`<p><a href="${PATH}">${say('people.back')}</a></p>
`;
}

/**
 * Returns the id of the viewer's account.
 * @throws ForbiddenError for operators, who have no account
 */
function accountOf({ account }: PortalCall['viewer']) {
	if (!account) throw new ForbiddenError();
	return account.id;
}

function mayGiveRole({ viewer }: PortalCall, role: string): boolean {
	return !isAccountRole(role) || mayGive(viewer, role);
}

/**
 * Checks that the viewer may give this role, or a link to a user who has it.
 * @throws ServiceError if they may not
 */
function requireMayGive(call: PortalCall, role: string): void {
	if (mayGiveRole(call, role)) return;
	throw new ServiceError('permission-denied', { moreInfo: call.say('people.needsFactor') });
}

function roleChoices(call: PortalCall, present: string): Choices {
	const offered = ACCOUNT_ROLES.filter((role) => role === present || mayGiveRole(call, role));
	return offered.map((role) => [role, call.say(`roles.${role}`)]);
}

function nameOf(user: PortalUser, { viewer, say }: PortalCall) {
	// What stands in front of a name would tell whether another account has the rest of it.
	const name = nameAlone(user.name);
	if (user.id === viewer.user.id) return `${name} (${say('people.you')})`;
	return viewer.has('people.change') && !user.isBroken ? link(`${PATH}/${user.id}`, name) : name;
}

const STATES = statesOf('people.', { broken: 'bad', blocked: 'bad', open: 'good', invited: 'plain' });

function stateIn({ blockedAt, hasPassword, lastLoginAt, isBroken }: PortalUser) {
	if (isBroken) return 'broken';
	if (blockedAt !== null) return 'blocked';
	return hasPassword || lastLoginAt !== null ? 'open' : 'invited';
}

function stateOf(user: PortalUser, call: PortalCall): Html {
	return STATES.badge(call, stateIn(user));
}
