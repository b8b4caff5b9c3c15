import { Option } from 'commander';
import { type CommandContext, table, UsageError } from '../../installation/frame/command.ts';
import type { FramedCommand } from '../../installation/frame/framed-command.ts';
import type { PortalLink } from '../../people/portal-users/sign-in/links.ts';
import type { PortalUser } from '../../people/portal-users/users.ts';
import { brokenRows } from '../broken-rows.ts';

interface AddOptions {
	readonly userId?: string;
	readonly role?: string;
	readonly operator?: string;
	readonly language?: string;
	readonly mail?: boolean;
}

interface MailOptions {
	readonly mail?: boolean;
}

const ROLES = ['viewer', 'clerk', 'developer', 'manager'];
const MAIL = 'send the link to them instead; their name must be an e-mail address';
const HOUR_MS = 3_600_000;

/** Registers `portal-user add|list|role|block|unblock|reset|remove`, for the people who use the portal. */
export function register(program: FramedCommand): void {
	const group = program.subcommand('portal-user', 'the people who use the portal with a browser');
	const named = (name: string, description: string) =>
		group.subcommand(name, description).argument('<name>', 'what they type to log in');
	named('add', 'print a link that works once, for an hour, with which they set a password')
		.option('--user-id <id>', 'the account that they belong to')
		.addOption(new Option('--role <role>', 'what they may in the account; see docs/portal.md').choices(ROLES))
		.option('--operator <name>', 'the operator that they are, instead of an account')
		.option('--language <code>', 'the language of their pages and mails: en, de, fr, es')
		.option('--mail', MAIL)
		.run<AddOptions>((context, options, name) => add(context, options, name!));
	group
		.subcommand('list', 'everybody there is, oldest first')
		.option('--user-id <id>', 'only those of this account')
		.run<{ userId?: string }>(list);
	named('role', 'give a user of an account another role; their sessions end')
		.addOption(new Option('--role <role>', 'the new role').choices(ROLES).makeOptionMandatory())
		.run<{ role: string }>((context, { role }, name) =>
			change(context, name!, (portal, { id }, actor) => portal.users.setRole(id, role, actor)),
		);
	for (const isBlocked of [true, false]) {
		named(isBlocked ? 'block' : 'unblock', isBlocked ? 'let them in no more, at once' : 'let them in again').run(
			(context, _options, name) =>
				change(context, name!, (portal, { id }, actor) => portal.users.setBlocked(id, isBlocked, actor)),
		);
	}
	named('reset', 'remove password and second factors, and print a link with which they begin anew')
		.option('--mail', MAIL)
		.run<MailOptions>((context, options, name) => reset(context, options, name!));
	named('remove', 'remove them with their sessions and history of logins').run(async (context, _options, name) => {
		const { portal, actor, find } = await openCommandPortal(context);
		const user = await find(name!);
		await portal.users.remove(user.id, actor);
		context.output.show({ name: user.name, removed: true }, `Removed: ${user.name}`);
	});
}

async function openCommandPortal(context: CommandContext) {
	const { openConfiguredPortal } = await import('../../installation/opening/configured-portal.ts');
	const { openCommandMails } = await import('../../installation/opening/configured-portal.ts');
	const { ServiceError } = await import('../../base/errors.ts');
	const { OperatorError } = await import('../../people/operators/operator-error.ts');
	const { covers } = await import('../../people/operators/roles.ts');
	const { settings } = context;
	const parts = await context.parts();
	const mails = openCommandMails(parts, settings, context.logger);
	const portal = openConfiguredPortal({ ...parts, mails }, settings, () => addressOf(settings));
	/**
	 * Refuses to make a link that gives access to the portal as another operator. Only operators with the role `keys`,
	 * who may also add operators, may make such a link.
	 */
	const requireKeys = (name: string) => {
		const { operator } = parts;
		if (!operator || operator.name === name || covers(operator.role, 'keys')) return;
		throw new OperatorError('operator-refused', `the access of operator ${name} needs the role keys`);
	};
	return {
		portal,
		requireKeys,
		actor: parts.actor,
		identity: parts.identity,
		async find(name: string): Promise<PortalUser> {
			const user = await portal.users.findByName(name);
			if (!user) throw new ServiceError('bad-input-data', { field: 'name', problem: 'there is no such user' });
			if (user.operator !== null) requireKeys(user.operator);
			return user;
		},
	};
}

type CommandPortal = Awaited<ReturnType<typeof openCommandPortal>>;

/** Returns the public URL. If `http.port` is 0 and no URL is set, only the daemon knows its port. */
function addressOf({ baseUrl, http }: CommandContext['settings']): string {
	if (baseUrl !== null) return baseUrl;
	if (http.port === 0)
		throw new UsageError('set baseUrl: with http.port 0 the address of the portal is not known here');
	const host = http.host === '0.0.0.0' || http.host === '::' ? 'localhost' : http.host;
	const scheme = http.tlsCertFile === null ? 'http' : 'https';
	return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${http.port}`;
}

async function add(context: CommandContext, options: AddOptions, name: string): Promise<void> {
	const { userId, role, operator, language = null, mail } = options;
	if ((operator === undefined) === (userId === undefined)) throw new UsageError('give --user-id or --operator');
	if ((userId === undefined) !== (role === undefined)) throw new UsageError('--role goes with --user-id');
	// The link contains the public URL, so a user is added only if the URL is known.
	addressOf(context.settings);
	const { portal, actor, identity, requireKeys } = await openCommandPortal(context);
	if (operator !== undefined) requireKeys(operator);
	const of =
		operator === undefined ? { accountId: (await identity.accounts.get(userId!)).id, role: role! } : { operator };
	if (mail) requireMail(portal, { name, accountId: of.accountId ?? null });
	const user = await portal.users.add({ name, of, language }, actor);
	await showLink(context, { portal, actor }, user, { mail, letter: 'invitation' });
}

async function reset(context: CommandContext, { mail }: MailOptions, name: string): Promise<void> {
	addressOf(context.settings);
	const { portal, actor, find } = await openCommandPortal(context);
	const found = await find(name);
	if (mail) requireMail(portal, found);
	const user = await portal.users.reset(found.id, actor);
	await showLink(context, { portal, actor }, user, { mail, letter: 'forgotten' });
}

function requireMail({ links }: CommandPortal['portal'], user: Pick<PortalUser, 'name' | 'accountId'>): void {
	if (links.canMail(user)) return;
	throw new UsageError('--mail: the name must be an e-mail address of a user of an account, and mail.host must be set');
}

async function showLink(
	{ output }: CommandContext,
	{ portal, actor }: Pick<CommandPortal, 'portal' | 'actor'>,
	user: PortalUser,
	{ mail = false, letter }: { readonly mail?: boolean; readonly letter: 'invitation' | 'forgotten' },
): Promise<void> {
	const link: Partial<PortalLink> & Pick<PortalLink, 'expiresAt'> = mail
		? await portal.links.mail(user.id, letter, actor)
		: await portal.links.make(user.id, actor);
	const { expiresAt } = link;
	const url = link.url?.reveal();
	const hours = Math.round((expiresAt.getTime() - Date.now()) / HOUR_MS);
	const text =
		url === undefined
			? `${user.name} gets a mail with a link. It works once, for ${hours} hours.`
			: `link  ${url}\n${user.name} sets a password with it. It works once, for an hour, and is not shown again.`;
	output.show({ ...shown(user), link: url ?? null, expiresAt: expiresAt.toISOString() }, text);
}

async function change(
	context: CommandContext,
	name: string,
	work: (portal: CommandPortal['portal'], user: PortalUser, actor: string) => Promise<PortalUser>,
): Promise<void> {
	const { portal, actor, find } = await openCommandPortal(context);
	const user = await work(portal, await find(name), actor);
	const state = user.blockedAt === null ? user.role : `${user.role}, blocked`;
	context.output.show(shown(user), `${user.name}: ${state}. Their sessions have ended.`);
}

async function list(context: CommandContext, { userId }: { userId?: string }): Promise<void> {
	const { portal, identity } = await openCommandPortal(context);
	const users =
		userId === undefined
			? await portal.users.listAll()
			: await portal.users.list((await identity.accounts.get(userId)).id);
	const accounts = await identity.accounts.userIdsOf(users.flatMap(({ accountId }) => accountId ?? []));
	const rows = users.map((user) => ({
		...shown(user),
		account: user.accountId === null ? null : (accounts.get(user.accountId) ?? null),
	}));
	const cells = rows.map((row) => [
		...[
			row.name,
			row.account ?? `operator ${row.operator}`,
			row.role,
			row.isBroken ? 'broken' : row.isBlocked ? 'blocked' : 'open',
		],
		...[row.hasPassword ? 'yes' : 'no', row.hasSecondFactor ? 'yes' : 'no', row.lastLoginAt],
	]);
	const head = ['name', 'account', 'role', 'state', 'password', 'second factor', 'last login'];
	const broken = brokenRows(rows, ({ name }) => name);
	context.output.show(rows, rows.length === 0 ? 'There are no users of the portal.' : table(head, cells) + broken);
}

function shown(user: PortalUser) {
	return {
		name: user.name,
		role: user.role,
		operator: user.operator,
		language: user.language,
		isBlocked: user.blockedAt !== null,
		hasPassword: user.hasPassword,
		hasSecondFactor: user.hasFactor,
		isBroken: user.isBroken,
		lastLoginAt: user.lastLoginAt?.toISOString() ?? null,
	};
}
