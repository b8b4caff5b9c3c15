// Defines which operators may run which commands, in one table for the whole command line. docs/operators.md shows the
// same, and a test compares the two with the existing commands.

/** Lists the roles from least to most. Each may do everything that the roles before it may. */
export const ROLES = ['view', 'operate', 'keys'] as const;
export type Role = (typeof ROLES)[number];

/** With `anyone` no operator is required, because the command shows nothing of the installation. */
export type Needed = Role | 'anyone';

/** The options of a command, by their long names in camel case. */
export type GivenOptions = Readonly<Record<string, unknown>>;

export interface CommandRule {
	readonly role: Needed;
	/** Tells whether a second person must approve the command, always or with these options. */
	readonly isForTwo?: (options: GivenOptions) => boolean;
	/**
	 * True if the command hands out a new secret of an existing API key. The permissions of that key then count as if they
	 * were granted with the option `--permissions`.
	 */
	readonly handsOutKey?: true;
	/**
	 * True if the command stores the route in the file of its option `--file`. Whether card numbers leave through it then
	 * counts as if it were the option `letsNumbersOut`.
	 */
	readonly readsRoute?: true;
	readonly forTwo?: string;
	/**
	 * True if anybody may run the command even after somebody has tampered with the rows of operators. Such a command
	 * only shows what else was tampered with.
	 */
	readonly isOpenWhenAltered?: true;
	/** Lists the files that the command reads. A second person approves their content together with the command. */
	readonly reads?: (options: GivenOptions, positional: readonly string[]) => readonly unknown[];
}

const always = () => true;

/** Tells whether a credential with these permissions could be used to read card numbers. */
const letsNumbersOut = ({ permissions }: GivenOptions) =>
	typeof permissions === 'string' && /\b(all|FileDetokenize|DisplayCard)\b/.test(permissions);
const NUMBERS_OUT = 'with `--permissions` that hold `FileDetokenize` or `DisplayCard`';
const KEY_WITH_NUMBERS_OUT = 'for a key that has `FileDetokenize` or `DisplayCard`';

/** Tells whether a user of the portal with this role may fetch files with card numbers. */
const letsFilesOut = ({ role }: GivenOptions) => role === 'manager';
const MANAGER = 'with `--role manager`';

const ROUTE_WITH_NUMBERS_OUT = 'for a route that detokenizes or takes files from `/detokenized`';

/** Gives the rule of each command. A command without a row requires the role `keys`. */
export const commandRules: Readonly<Record<string, CommandRule>> = {
	serve: { role: 'anyone' },
	migrate: { role: 'anyone' },
	'config check': { role: 'anyone' },
	completion: { role: 'anyone' },
	manual: { role: 'anyone' },
	demo: { role: 'anyone' },
	bench: { role: 'anyone' },
	'format check': { role: 'anyone' },
	'operator recover': { role: 'anyone' },
	// These commands require no operator, because they work on an installation that is being restored, in which no
	// operators exist yet.
	'backup verify': { role: 'anyone' },
	'backup restore': { role: 'anyone' },
	'key combine': { role: 'anyone' },

	'account list': { role: 'view' },
	'account show': { role: 'view' },
	'api-key list': { role: 'view' },
	'ssh-key list': { role: 'view' },
	'origin list': { role: 'view' },
	'form-style show': { role: 'view' },
	'ban list': { role: 'view' },
	'ban allowed': { role: 'view' },
	'login list': { role: 'view' },
	'key status': { role: 'view' },
	'audit list': { role: 'view' },
	'audit verify': { role: 'view', isOpenWhenAltered: true },
	'audit export': { role: 'view', isForTwo: always, forTwo: 'always' },
	'format list': { role: 'view' },
	'format-options show': { role: 'view' },
	'destination list': { role: 'view' },
	'destination show': { role: 'view' },
	'pgp-key list': { role: 'view' },
	'pgp-key export': { role: 'view' },
	'event endpoint list': { role: 'view' },
	'event list': { role: 'view' },
	'event show': { role: 'view' },
	'route list': { role: 'view' },
	'route show': { role: 'view' },
	'route history': { role: 'view' },
	'route files': { role: 'view' },
	'mail-style show': { role: 'view' },
	'profile list': { role: 'view' },
	'profile show': { role: 'view' },
	'profile test': { role: 'view' },
	'job list': { role: 'view' },
	'job show': { role: 'view' },
	'job watch': { role: 'view' },
	today: { role: 'view' },
	doctor: { role: 'view' },
	integrity: { role: 'view' },
	'allowance show': { role: 'view' },
	'operator list': { role: 'view' },
	'operator roles': { role: 'view' },
	'portal-user list': { role: 'view' },
	'approval list': { role: 'view' },
	// Besides this role, the person who approves a command needs the role that the approved command requires.
	approve: { role: 'view' },

	'account create': { role: 'operate', isForTwo: letsNumbersOut, forTwo: NUMBERS_OUT },
	'account block': { role: 'operate' },
	'account unblock': { role: 'operate' },
	'account cards-retention': { role: 'operate' },
	'account permissions set': { role: 'operate', isForTwo: letsNumbersOut, forTwo: NUMBERS_OUT },
	'account disable': { role: 'operate' },
	'account enable': { role: 'operate' },
	'account delete': { role: 'operate', isForTwo: always, forTwo: 'always' },
	'allowance set': { role: 'operate' },
	'cvv-retention set': { role: 'operate' },
	'backup create': { role: 'operate' },
	'api-key create': { role: 'operate', isForTwo: letsNumbersOut, forTwo: NUMBERS_OUT },
	'api-key rotate': { role: 'operate', handsOutKey: true, isForTwo: letsNumbersOut, forTwo: KEY_WITH_NUMBERS_OUT },
	'api-key revoke': { role: 'operate' },
	'ssh-key add': { role: 'operate', isForTwo: letsNumbersOut, forTwo: NUMBERS_OUT, reads: ({ file }) => [file] },
	'ssh-key remove': { role: 'operate' },
	'origin add': { role: 'operate' },
	'origin remove': { role: 'operate' },
	'form-style set': { role: 'operate' },
	'form-style remove': { role: 'operate' },
	'ban lift': { role: 'operate' },
	'ban allow': { role: 'operate' },
	'ban disallow': { role: 'operate' },
	'portal-user add': { role: 'operate', isForTwo: letsFilesOut, forTwo: MANAGER },
	'portal-user role': { role: 'operate', isForTwo: letsFilesOut, forTwo: MANAGER },
	'portal-user block': { role: 'operate' },
	'portal-user unblock': { role: 'operate' },
	'portal-user reset': { role: 'operate', isForTwo: always, forTwo: 'always' },
	'portal-user remove': { role: 'operate' },
	'file tokenize': { role: 'operate' },
	'file detokenize': {
		role: 'operate',
		isForTwo: always,
		forTwo: 'always',
		reads: ({ options }, positional) => [positional[0], options],
	},
	'token import': { role: 'operate' },
	'token export': { role: 'operate' },
	'format-options put': { role: 'operate' },
	'format-options remove': { role: 'operate' },
	'destination put': { role: 'operate' },
	'destination remove': { role: 'operate' },
	'destination check': { role: 'operate' },
	'pgp-key create': { role: 'operate' },
	'pgp-key import': { role: 'operate' },
	'pgp-key revoke': { role: 'operate' },
	'route put': {
		role: 'operate',
		isForTwo: ({ letsNumbersOut }) => letsNumbersOut === true,
		forTwo: ROUTE_WITH_NUMBERS_OUT,
		readsRoute: true,
		reads: ({ file }) => [file],
	},
	'route remove': { role: 'operate' },
	'route pause': { role: 'operate' },
	'route resume': { role: 'operate' },
	'route check': { role: 'operate' },
	'route run': { role: 'operate' },
	'route retry': { role: 'operate' },
	'route forget': { role: 'operate' },
	'event endpoint put': { role: 'operate' },
	'event endpoint remove': { role: 'operate' },
	'event endpoint pause': { role: 'operate' },
	'event endpoint resume': { role: 'operate' },
	'event endpoint test': { role: 'operate' },
	'event endpoint rotate': { role: 'operate' },
	'event mail put': { role: 'operate' },
	'event replay': { role: 'operate' },
	'mail-style set': { role: 'operate' },
	'mail-style remove': { role: 'operate' },
	'profile put': { role: 'operate' },
	'profile remove': { role: 'operate' },
	'job retry': { role: 'operate' },
	'retention run': { role: 'operate' },

	'key rotate': {
		role: 'keys',
		isForTwo: ({ purpose }) => purpose === 'root',
		forTwo: 'with `--purpose root`',
		reads: ({ newMasterKeyFile }) => [newMasterKeyFile],
	},
	'database distribute': { role: 'keys' },
	'database move': { role: 'keys' },
	'format allow': { role: 'keys', isForTwo: always, forTwo: 'always', reads: (_, [file]) => [file] },
	'format remove': { role: 'keys' },
	'vault export': { role: 'keys', isForTwo: always, forTwo: 'always', reads: ({ keyFile }) => [keyFile] },
	'vault import': {
		role: 'keys',
		isForTwo: always,
		forTwo: 'always',
		reads: ({ keyFile }, positional) => [positional[0], keyFile],
	},
	'key sweep': { role: 'keys' },
	'key retire': { role: 'keys' },
	'key move': { role: 'keys', isForTwo: always, forTwo: 'always' },
	'key split': { role: 'keys', isForTwo: always, forTwo: 'always' },
	'key adopt': { role: 'keys', isForTwo: always, forTwo: 'always' },
	'operator add': { role: 'keys', isForTwo: always, forTwo: 'always', reads: ({ sshKeyFile }) => [sshKeyFile] },
	'operator remove': { role: 'keys', isForTwo: always, forTwo: 'always' },
};

const UNKNOWN_COMMAND: CommandRule = { role: 'keys' };

/** Returns the rule of a command such as `api-key create`. */
export function ruleOf(command: string): CommandRule {
	return Object.hasOwn(commandRules, command) ? commandRules[command] : UNKNOWN_COMMAND;
}

/** Tells whether a role includes another. */
export function covers(role: Role, needed: Needed): boolean {
	return needed === 'anyone' || ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
