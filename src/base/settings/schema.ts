// Declares every setting: its place, its rule in words, and an example that obeys the rule, and lists them by their keys and
// variables. Defaults are only in
// config/default.yaml, which must name every key; the schema says what null means there.

import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { cardDisplay, cardRequests, mail, portal } from './card-page-keys.ts';
import { drops } from './drop-settings.ts';
import { keyServices } from './key-service-settings.ts';
import { ADDRESS, consent, endpoint, type KeyNotes, key, optional, PATH, period, ranges, whole } from './keys.ts';
import { isPostgresUrl } from './postgres-url.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
const KIBI = 1024;
const MEBI = 1024 * KIBI;
const DAY_SECONDS = 86_400;

const baseAddress = (example: string) =>
	key(ADDRESS, 'an address, http:// or https://, without query or user name', example);

export const schema = z.strictObject({
	environment: key(z.enum(['sandbox', 'production']), 'sandbox or production', 'sandbox'),
	dataDir: key(PATH, 'the directory that holds everything the daemon keeps, a path', './data'),
	databaseUrl: optional(
		z.string().refine((text) => /^sqlite:./s.test(text) || isPostgresUrl(text)),
		{ derived: 'tokendrop.sqlite in dataDir' },
		'sqlite:FILE or postgres://…, which may name several hosts, with target_session_attrs read-write or primary if any; ' +
			'set one with a password only in the variable',
		'postgres://tokendrop@db.internal:5432/tokendrop',
	),
	databasePasswordFile: optional(
		PATH,
		{ none: 'databaseUrl has the password, or the database asks for none' },
		'a file that contains only the password of the database, a path',
		'/run/secrets/database_password',
	),
	baseUrl: optional(
		ADDRESS,
		{ derived: 'the address of http.host and http.port' },
		'the address clients use, http:// or https://, without query or user name',
		'https://tokens.example.com',
	),
	http: z.strictObject({
		...endpoint(8080),
		bodyLimitBytes: whole(KIBI, 64 * MEBI, 'bytes of the largest request body that is not streamed', MEBI),
		requestTimeoutSeconds: whole(1, 3600, 'seconds a client has to send a request that is not streamed', 60),
		headersTimeoutSeconds: whole(1, 600, 'seconds a client has to send the head of a request', 20),
		idleTimeoutSeconds: whole(30, 3600, 'seconds without traffic that end a connection', 120),
		keepAliveSeconds: whole(1, 3600, 'seconds a connection is kept between two requests', 75),
		maxConnections: whole(1, 1_000_000, 'connections at the same time', 10_000),
		trustedProxies: ranges(
			'the address of the connection is that of the caller',
			'addresses or ranges of balancers whose X-Forwarded-For is trusted, separated by commas',
			'10.0.0.0/8',
		),
		tlsCertFile: optional(
			PATH,
			{ none: 'HTTP without TLS' },
			'a PEM file with the certificate, together with http.tlsKeyFile',
			'/etc/tokendrop/tls.crt',
		),
		tlsKeyFile: optional(
			PATH,
			{ none: 'HTTP without TLS' },
			'a PEM file with the private key, together with http.tlsCertFile',
			'/etc/tokendrop/tls.key',
		),
	}),
	sftp: z.strictObject({
		...endpoint(2022),
		loginGraceSeconds: whole(1, 600, 'seconds a client has to log in', 30),
		maxLoginTries: whole(1, 100, 'login tries on one connection', 6),
		maxStartups: whole(1, 100_000, 'connections that have not logged in yet', 100),
		maxSessions: whole(1, 100_000, 'sessions on this daemon', 200),
		maxSessionsPerAccount: whole(1, 100_000, 'sessions of one account, not above sftp.maxSessions', 20),
		idleTimeoutSeconds: whole(1, DAY_SECONDS, 'seconds without traffic that end a session', 900),
		maxUnansweredBytes: whole(256 * KIBI, 1024 * MEBI, 'bytes of unanswered requests on one sftp channel', 8 * MEBI),
		maxHeldBytes: whole(
			4 * MEBI,
			64 * 1024 * MEBI,
			'bytes that this daemon keeps in memory for all sftp sessions together',
			16 * MEBI,
		),
		maxHandles: whole(1, 10_000, 'open handles of one sftp channel', 64),
		failedLoginDelayMs: whole(0, 10_000, 'milliseconds before a failed login is answered', 300),
	}),
	ops: z.strictObject(endpoint(9090)),
	allowPlaintextDatabase: consent(
		'PostgreSQL on another machine without TLS, in production',
		'anybody on the network between can read and change all traffic with the database',
	),
	allowPlaintextHttp: consent(
		'HTTP without TLS on an address that is not loopback, in production',
		'card numbers and API keys cross the network in clear, unless a balancer in front ends TLS',
	),
	allowPlaintextOps: consent(
		'the ops listener on an address that is not loopback, in production',
		'anybody who reaches it can read the metrics, without a login and in clear',
	),
	cvv: z.strictObject({
		allowLong: consent(
			'CVV policies beyond 7 days or one use, in production',
			'the longer CVVs are kept, the more of them an intruder finds',
		),
	}),
	forms: z.strictObject({
		openMinutes: whole(1, 24 * 60, 'minutes for which a hosted form can be submitted after it was opened', 30),
	}),
	integrity: z.strictObject({
		schedule: key(
			z.enum(['hourly', 'daily', 'weekly', 'never']),
			'hourly, daily, weekly or never: when the payment pages at baseUrl are compared with what was sent',
			'daily',
		),
	}),
	portal,
	defender: z.strictObject({
		scoreLimit: whole(1, 1_000_000, 'score at which an address is banned', 100),
		windowSeconds: whole(1, DAY_SECONDS, 'seconds over which the score is summed', 600),
		banSeconds: whole(1, 30 * DAY_SECONDS, 'seconds a ban lasts', 1800),
		allow: ranges(
			'failures count from everywhere',
			'addresses or ranges from which nobody is shut out over sFTP, separated by commas',
			'192.0.2.0/24',
		),
	}),
	allowance: z.strictObject({
		sandboxUnits: whole(
			1,
			1_000_000_000,
			'units of a new account of the sandbox, below allowance.productionUnits',
			10_000,
		),
		productionUnits: optional(
			z.int().min(1),
			{ none: 'no limit' },
			'units of a new account of production, a whole number',
			'1000000',
		),
	}),
	elimination: z.strictObject({
		numbersPerDay: whole(
			1,
			1_000_000,
			'different numbers with the same first six and last four digits that an account may look for in a day',
			20,
		),
	}),
	masterKeyFile: optional(
		PATH,
		{ derived: 'master.key in dataDir' },
		'the file with the master key, a path',
		'/etc/tokendrop/master.key',
	),
	keys: z.strictObject({
		provider: key(
			z.enum(['file', 'env', 'pkcs11', 'aws-kms', 'transit']),
			'file, env, pkcs11, aws-kms or transit: where the master key is',
			'file',
		),
		...keyServices,
		warnDays: whole(0, 365, 'days before the end of a cryptoperiod at which warnings begin', 14),
		cryptoperiodDays: z.strictObject({
			data: period('keys of card data are'),
			cvv: period('keys of CVVs are'),
			fingerprint: period('keys of fingerprints of cards are'),
			token: period('the key that makes tokens is'),
			drop: period('the key of stored files is'),
			secret: period('the key of stored secrets is'),
			seal: period('the key of seals of rows is'),
			credential: period('the key of hashes of API keys and tokens is'),
			audit: period('the key of the audit trail is'),
			environment: period('the environment key is'),
		}),
	}),
	backup: z.strictObject({
		warnDays: whole(0, 3650, 'days after the last `backup create` at which warnings begin; 0 for none', 2),
		checkWarnDays: whole(0, 3650, 'days after the last `backup verify` at which warnings begin; 0 for none', 100),
	}),
	audit: z.strictObject({
		headFile: optional(
			PATH,
			{ derived: 'audit-heads.jsonl in dataDir' },
			'the file in which the end of the audit trail is noted, a path',
			'/var/log/tokendrop/audit-heads.jsonl',
		),
		headEntries: whole(1, 1_000_000, 'entries of the trail after which its end is noted', 1000),
		headSeconds: whole(1, DAY_SECONDS, 'seconds after an entry until the end of the trail is noted', 60),
		syslogUrl: optional(
			z
				.string()
				.regex(/^syslog\+(tls|tcp):\/\/[^\s?#@/]+:\d{1,5}$/i)
				.refine((text) => URL.canParse(text)),
			{ none: 'the trail is sent to no syslog server' },
			'the syslog server to which the trail is sent, syslog+tls://host:port or syslog+tcp://host:port',
			'syslog+tls://logs.example.com:6514',
		),
		syslogCaFile: optional(
			PATH,
			{ none: 'the certificates that Node trusts' },
			'a PEM file with the certificates to check the syslog server with',
			'/etc/tokendrop/logs-ca.pem',
		),
		webhookUrl: optional(
			ADDRESS,
			{ none: 'the trail is posted nowhere' },
			'the address to which the trail is posted as JSON lines, http:// or https://, without query or user name',
			'https://siem.example.com/tokendrop',
		),
		webhookTokenFile: optional(
			PATH,
			{ none: 'posts have no token' },
			'a file with the bearer token for audit.webhookUrl, a path',
			'/run/secrets/siem-token',
		),
	}),
	operator: z.strictObject({
		name: optional(
			z.string().min(1),
			{ none: 'commands ask for --as once there are operators' },
			'the operator who runs commands, unless --as names one',
			'alice',
		),
		identityFile: optional(
			PATH,
			{ none: 'ssh-agent signs' },
			'the private SSH key of that operator, a path',
			'/home/alice/.ssh/id_ed25519',
		),
		tokenFile: optional(
			PATH,
			{ none: 'the operator proves with a key' },
			'the file with the token of that operator, a path',
			'/run/secrets/tokendrop-token',
		),
	}),
	processes: key(
		z.union([z.literal('auto'), z.int().min(1).max(256)]),
		'auto or a whole number from 1 to 256: the processes that share the work on PostgreSQL; auto: as many as the machine has cores. On SQLite it is 1 or auto, which then means 1',
		'auto',
	),
	workers: optional(
		z.int().min(1).max(256),
		{ derived: 'as many as the machine has cores' },
		'threads that process files, a whole number from 1 to 256',
		'4',
	),
	transfer: z.strictObject({
		windowBytes: whole(4 * KIBI, 16 * MEBI, 'bytes of a file that are examined together', 256 * KIBI),
		maxRecordBytes: whole(4 * KIBI, 64 * MEBI, 'bytes of the longest record', MEBI),
		maxFileBytes: optional(
			z.int().min(1),
			{ none: 'no limit' },
			'bytes of the largest file that is accepted, a whole number',
			'10000000000',
		),
	}),
	drops,
	jobs: z.strictObject({
		maxAttempts: whole(1, 100, 'attempts at one file', 6),
		leaseSeconds: whole(2, 3600, 'seconds after which the job of a dead daemon is taken over', 15),
	}),
	retention: z.strictObject({
		dropsDays: whole(1, 3650, 'days that outputs and failed inputs are kept', 30),
		failedInputsHours: whole(1, 87_600, 'hours that failed inputs of accounts without CVV retention are kept', 24),
		partialsHours: whole(1, 8760, 'hours that unfinished uploads are kept', 48),
		reportsDays: whole(1, 3650, 'days that reports are kept', 90),
	}),
	relay: z.strictObject({
		allowPrivate: consent(
			'calls to private, link-local and metadata addresses',
			'every account can then reach into your network and read the credentials that a cloud gives its machines; use it only for trials on one machine',
			'false',
		),
		maxInFlight: whole(1, 1_000_000, 'calls to third parties at the same time', 4000),
		maxInFlightPerAccount: optional(
			z.int().min(1).max(1_000_000),
			{ derived: 'half of relay.maxInFlight' },
			'calls of one account to third parties at the same time, a whole number from 1, at most relay.maxInFlight',
			'1000',
		),
		maxAnswerBytes: whole(KIBI, 1024 * MEBI, 'bytes of the largest answer of a third party, unpacked', 16 * MEBI),
		bodyThreads: whole(1, 64, 'threads that read large bodies of messages to and from third parties', 2),
		bodyMemoryBytes: whole(
			32 * MEBI,
			65_536 * MEBI,
			'bytes that bodies in these threads, and bodies that wait for a thread, take together',
			160 * MEBI,
		),
		presetsDir: optional(
			PATH,
			{ derived: 'config/presets of the installation' },
			'the directory of the preset profiles, a path',
			'/etc/tokendrop/presets',
		),
	}),
	routes: z.strictObject({
		folders: optional(
			z.string().refine((text) => text.split(',').every((path) => isAbsolute(path.trim()))),
			{ none: 'routes use no folder of the server' },
			'folders of the server that routes may read and write, with what is below them: whole paths, separated by commas',
			'/srv/incoming,/srv/outgoing',
		),
	}),
	gateway: z.strictObject({
		stripeBaseUrl: baseAddress('https://api.stripe.com'),
		adyenBaseUrl: baseAddress('https://checkout-test.adyen.com'),
		driversDir: optional(
			PATH,
			{ derived: 'config/gateways of the installation' },
			'the directory of declared gateway drivers, a path',
			'/etc/tokendrop/gateways',
		),
	}),
	mail,
	cardRequests,
	cardDisplay,
	shutdown: z.strictObject({
		drainSeconds: whole(0, 3600, 'seconds that running work may take after a stop', 25),
	}),
	logLevel: key(z.enum(LOG_LEVELS), `one of ${LOG_LEVELS.join(', ')}`, 'info'),
});

/**
 * The variable that holds the master key. The schema does not have the master key, because it may come from nowhere
 * else.
 */
export const MASTER_KEY_VARIABLE = 'TOKENDROP_MASTER_KEY';
export const MASTER_KEY_NOTES: KeyNotes = {
	rule: '64 hexadecimal characters or base64 of 32 bytes, together with keys.provider: env',
	example: 'the output of: openssl rand -hex 32',
};

/** Describes one key that holds a value and not further keys. */
export interface Leaf {
	/** The key as people write it, for example `sftp.maxSessions`. */
	readonly key: string;
	readonly path: readonly string[];
	/** The name of the environment variable that sets the key, for example `TOKENDROP_SFTP_MAX_SESSIONS`. */
	readonly variable: string;
	readonly schema: z.ZodType;
	readonly notes: KeyNotes;
}

/** Lists every key that holds a value and not further keys, in the order of the schema. */
export const leaves: readonly Leaf[] = leavesOf(schema, []);

function leavesOf(section: z.ZodObject, path: readonly string[]): Leaf[] {
	return Object.entries(section.shape as Record<string, z.ZodType>).flatMap(([name, inner]) => {
		const innerPath = [...path, name];
		if (inner instanceof z.ZodObject) return leavesOf(inner, innerPath);
		const key = innerPath.join('.');
		return { key, path: innerPath, variable: variableOf(innerPath), schema: inner, notes: inner.meta() as never };
	});
}

function variableOf(path: readonly string[]): string {
	const words = path.map((name) => name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase());
	return `TOKENDROP_${words.join('_')}`;
}
