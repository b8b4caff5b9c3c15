// The people of an account: managers invite, change, block and remove them.

import { ServiceError } from '../../../../../base/errors.ts';
import { isMailLimit } from '../../../../../base/mail/mail-limits.ts';
import { type Html, html } from '../../../../../base/pages/html.ts';
import { fillText } from '../../../../../base/pages/languages/index.ts';
import { nameAlone } from '../../../../../people/identity/accounts/user-id.ts';
import { mayGive } from '../../../../../people/portal-users/grants.ts';
import { ACCOUNT_ROLES, type Portal, type PortalUser } from '../../../../../people/portal-users/portal.ts';
import { isAccountRole } from '../../../../../people/portal-users/rights.ts';
import type { Viewer } from '../../../../../people/portal-users/viewer.ts';
import { badge, choiceField, emptyState, field, form, notice, table, time } from '../../pieces.ts';
import type { PortalAnswer, PortalCall, PortalPage } from '../../portal-page.ts';
import { ForbiddenError } from '../../refusals.ts';
import { PORTAL_LANGUAGES } from '../../texts/index.ts';

const HELP = '/docs/portal#people';

interface Invitation {
	readonly typed: Readonly<Record<string, string>>;
	readonly problem: string;
}

export function peoplePages({ portal }: { readonly portal: Portal }): PortalPage[] {
	const { users, links } = portal;

	const listPage = async (call: PortalCall, refused?: Invitation): Promise<PortalAnswer> => {
		const { people, roles } = call.texts.people;
		const all = await users.list(accountOf(call.viewer));
		const rows = all.map((user) => [
			nameOf(call, user),
			roles[user.role],
			stateOf(call, user),
			user.hasFactor ? people.yes : people.no,
			user.lastLoginAt ? time(user.lastLoginAt, call.language) : people.never,
		]);
		const { me } = call.texts.people;
		const head = [me.name, me.role, people.state, people.factor, people.lastLogin];
		const body = html`<p>${people.hint}</p>
${all.length <= 1 && emptyState(people.none)}${table({ caption: people.title, head, rows })}${call.viewer.has('people.change') && inviteForm(call, refused)}`;
		return { page: { title: people.title, section: 'people', body, help: HELP }, status: refused ? 400 : 200 };
	};
	/**
	 * Returns the user whose id is in the URL.
	 * @throws ServiceError if the viewer's account has no such user
	 */
	const find = async ({ viewer, params }: PortalCall): Promise<PortalUser> => {
		const user = /^\d{1,15}$/.test(params.id) ? await users.find(accountOf(viewer), Number(params.id)) : undefined;
		if (!user) throw new ServiceError('uri-not-found');
		return user;
	};
	const linkPage = async (call: PortalCall, user: PortalUser): Promise<PortalAnswer> => {
		const { people } = call.texts.people;
		const back = html`<p><a href="/portal/people">${people.back}</a></p>
`;
		if (links.canMail(user)) {
			await links.mail(user.id, user.hasPassword ? 'forgotten' : 'invitation', call.viewer.actor);
			return { redirectTo: '/portal/people', notice: people.mailed };
		}
		const { url } = await links.make(user.id, call.viewer.actor);
		const body = html`${notice('plain', people.linkHint)}<p><code class="link">${url.reveal()}</code></p>
${back}`;
		const title = fillText(people.linkTitle, { name: nameAlone(user.name) });
		return { page: { title, section: 'people', body, help: HELP } };
	};
	const changing = (
		path: string,
		change: (call: PortalCall, user: PortalUser) => Promise<PortalAnswer>,
	): PortalPage => ({
		...{ path: `/portal/people/:id/${path}`, method: 'POST', right: 'people.change' },
		async handle(call) {
			const user = await find(call);
			// Nobody may change their own user, so that nobody locks themselves out or gives themselves a role.
			if (user.id === call.viewer.user.id) throw new ForbiddenError();
			return change(call, user);
		},
	});
	const saved = ({ texts }: PortalCall, { id }: PortalUser): PortalAnswer => ({
		...{ redirectTo: `/portal/people/${id}`, notice: texts.people.people.saved },
	});

	return [
		{ path: '/portal/people', method: 'GET', right: 'people.see', handle: (call) => listPage(call) },
		{
			...{ path: '/portal/people', method: 'POST', right: 'people.change' },
			async handle(call) {
				const { name = '', role = '', language = '' } = call.form;
				const of = { accountId: accountOf(call.viewer), role };
				const isChosenByAccount = true;
				if (!mayGiveRole(call, role))
					return listPage(call, { typed: call.form, problem: call.texts.people.people.needsFactor });
				const chosen = Object.hasOwn(PORTAL_LANGUAGES, language) ? language : null;
				let user: PortalUser | undefined;
				try {
					user = await users.add({ name, of, language: chosen, isChosenByAccount }, call.viewer.actor);
					return await linkPage(call, user);
				} catch (error) {
					// Whoever cannot be sent a link is not invited.
					if (user && isMailLimit(error)) await users.remove(user.id, call.viewer.actor);
					else if (!(error instanceof ServiceError) || error.reason !== 'bad-input-data') throw error;
					return listPage(call, { typed: call.form, problem: error.moreInfo ?? error.message });
				}
			},
		},
		{
			...{ path: '/portal/people/:id', method: 'GET', right: 'people.change' },
			async handle(call) {
				const user = await find(call);
				const { people } = call.texts.people;
				const isOwn = user.id === call.viewer.user.id;
				const body = html`<p>${stateOf(call, user)}</p>
${isOwn ? notice('plain', people.own) : changeForms(call, user)}<p><a href="/portal/people">${people.back}</a></p>
`;
				return { page: { title: nameAlone(user.name), section: 'people', body, help: HELP } };
			},
		},
		changing('role', async (call, user) => {
			requireMayGive(call, call.form.role ?? '');
			await users.setRole(user.id, call.form.role ?? '', call.viewer.actor);
			return saved(call, user);
		}),
		changing('block', async (call, user) => {
			await users.setBlocked(user.id, true, call.viewer.actor);
			return saved(call, user);
		}),
		changing('unblock', async (call, user) => {
			await users.setBlocked(user.id, false, call.viewer.actor);
			return saved(call, user);
		}),
		changing('factors', async (call, user) => {
			requireMayGive(call, user.role);
			await users.resetFactors(user.id, call.viewer.actor);
			return saved(call, user);
		}),
		changing('link', async (call, user) => {
			requireMayGive(call, user.role);
			return linkPage(call, user);
		}),
		changing('remove', async (call, user) => {
			await users.remove(user.id, call.viewer.actor);
			return { redirectTo: '/portal/people', notice: call.texts.people.people.removed };
		}),
	];
}

/**
 * Returns the id of the viewer's account.
 * @throws ForbiddenError for operators, who have no account
 */
function accountOf({ account }: Viewer) {
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
	throw new ServiceError('permission-denied', { moreInfo: call.texts.people.people.needsFactor });
}

function nameOf({ viewer, texts }: PortalCall, user: PortalUser): Html {
	const { people } = texts.people;
	// What stands in front of a name would tell whether another account has the rest of it.
	const name = nameAlone(user.name);
	if (user.id === viewer.user.id) return html`${name} (${people.you})`;
	return viewer.has('people.change') && !user.isBroken
		? html`<a href="/portal/people/${user.id}">${name}</a>`
		: html`${name}`;
}

function stateOf({ texts }: PortalCall, { blockedAt, hasPassword, isBroken }: PortalUser): Html {
	const { people } = texts.people;
	if (isBroken) return badge('bad', people.broken);
	if (blockedAt !== null) return badge('bad', people.blocked);
	return hasPassword ? badge('good', people.open) : badge('plain', people.invited);
}

function roleField(call: PortalCall, value: string): Html {
	const { roles, me } = call.texts.people;
	const offered = ACCOUNT_ROLES.filter((role) => role === value || mayGiveRole(call, role));
	const options = offered.map((role) => [role, roles[role]] as const);
	return choiceField({ name: 'role', label: me.role, value, options });
}

function inviteForm(call: PortalCall, refused: Invitation | undefined): Html {
	const { people } = call.texts.people;
	const { name, role = 'clerk', language = call.language } = refused?.typed ?? {};
	const languages = Object.entries(PORTAL_LANGUAGES);
	return html`<section><h2>${people.invite}</h2>${form(call, {
		action: '/portal/people',
		body: html`${field({
			...{ name: 'name', label: people.newName, hint: people.newNameHint, value: name, problem: refused?.problem },
			...{ isRequired: true, maxLength: 254, autocomplete: 'off' },
		})}${roleField(call, mayGiveRole(call, role) ? role : 'clerk')}${choiceField({ name: 'language', label: people.language, value: language, options: languages })}`,
		submit: people.submit,
	})}</section>
`;
}

function changeForms(call: PortalCall, user: PortalUser): Html {
	const { people } = call.texts.people;
	const action = (path: string) => `/portal/people/${user.id}/${path}`;
	const simple = (path: string, submit: string, tone: 'plain' | 'danger' = 'plain') =>
		form(call, { action: action(path), body: '', submit, tone });
	const maySend = mayGiveRole(call, user.role);
	const blocking =
		user.blockedAt === null ? simple('block', people.block, 'danger') : simple('unblock', people.unblock);
	return html`<section><h2>${people.change}</h2>${form(call, { action: action('role'), body: roleField(call, user.role), submit: people.setRole })}
${!maySend && html`<p class="hint">${people.needsFactor}</p>`}${maySend && user.blockedAt === null && simple('link', people.newLink)}${maySend && user.hasFactor && simple('factors', people.resetFactors, 'danger')}${blocking}
<details><summary>${people.remove}</summary><p>${people.removeHint}</p>${simple('remove', people.remove, 'danger')}</details></section>
`;
}
