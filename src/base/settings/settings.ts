// This is the only file that reads config/ and the environment. It reads config/default.yaml, then the file of
// --config, then the TOKENDROP_* variables. All problems are reported together before anything is opened.

import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { z } from 'zod';
import { mailProblems } from './card-page-keys.ts';
import { findClearTransport } from './clear-transport.ts';
import { dropProblems } from './drop-settings.ts';
import { keyServiceProblems } from './key-service-settings.ts';
import { isPath, wholeRule } from './keys.ts';
import {
	findAt,
	isTree,
	type Layer,
	nearestName,
	overlay,
	readFileLayer,
	readShippedLayer,
	readVariables,
	setAt,
	type Tree,
	type Variables,
} from './layers.ts';
import { withDatabasePassword, withPassword } from './postgres-url.ts';
import { contradiction, SettingsError, type SettingsProblem, shownValue } from './problems.ts';
import { leaves, MASTER_KEY_NOTES, MASTER_KEY_VARIABLE, schema } from './schema.ts';
import { hasUrlPassword, maskUrlPassword, Secret } from './secret.ts';

export { SettingsError } from './problems.ts';

type Written = z.infer<typeof schema>;
type Frozen<T> = T extends Secret ? T : T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;

/** Holds every setting, complete and frozen. Paths are absolute. */
export type Settings = Frozen<
	Omit<Written, 'databaseUrl' | 'masterKeyFile' | 'workers' | 'keys' | 'audit' | 'relay' | 'gateway' | 'portal'> & {
		/** The URL of the database. It may contain a password, so use `shownSettings` to show it. */
		databaseUrl: string;
		/** The public URL; null only if none is set and `http.port` is 0. The daemon then uses the URL of its port. */
		baseUrl: string | null;
		masterKeyFile: string;
		audit: Written['audit'] & { headFile: string };
		workers: number;
		portal: Written['portal'] & { secondFactor: NonNullable<Written['portal']['secondFactor']> };
		relay: Written['relay'] & { maxInFlightPerAccount: number; presetsDir: string };
		gateway: Written['gateway'] & { driversDir: string };
		keys: Written['keys'] & {
			/** The master key as text; set exactly when `keys.provider` is `env`. */
			masterKey: Secret | null;
		};
	}
>;

export interface SettingsSources {
	/** The path given with `--config`. */
	readonly configPath?: string;
	readonly env?: Variables;
}

const CONFIG_DIR = fileURLToPath(new URL('../../../config', import.meta.url));
const DEFAULTS_PATH = join(CONFIG_DIR, 'default.yaml');

/** Reads, checks, completes and freezes the settings. @throws SettingsError with every problem found */
export function loadSettings({ configPath, env = process.env }: SettingsSources = {}): Settings {
	const layers: Layer[] = [readShippedLayer(DEFAULTS_PATH)];
	if (configPath !== undefined) layers.push(readFileLayer(resolve(configPath)));
	layers.push(readVariables(env));
	const tree = layers.map((layer) => withoutValuesForSections(layer.tree)).reduce(overlay, {});
	const problems = [...layers.flatMap((layer) => layer.problems), ...passwordInFile(layers)];
	const parsed = schema.safeParse(tree);
	for (const issue of parsed.error?.issues ?? []) problems.push(...problemsOf(issue, layers));
	problems.push(...valuesForSections(layers));
	const masterKey = env[MASTER_KEY_VARIABLE] || null;
	problems.push(...masterKeyProblems(masterKey, findAt(tree, ['keys', 'provider'])));
	const sound = parsed.data ?? soundKeys(tree, layers[0].tree);
	problems.push(...problemsBetweenKeys(sound));
	for (const { key, value, rule, example } of findClearTransport(sound, env.PGHOST || 'localhost')) {
		const { source } = given(key.split('.'), key, layers);
		problems.push({ key, source, value: shownValue(value, key), rule, example });
	}
	const databaseUrl = databaseUrlOf(sound);
	if (typeof databaseUrl !== 'string') problems.push(databaseUrl);
	if (problems.length > 0 || !parsed.success) throw new SettingsError(problems);
	return derive(parsed.data, masterKey, databaseUrl as string);
}

/** Returns the socket of ssh-agent. It belongs to the terminal that runs a command, so it is not a setting. */
export function findAgentSocket(env: Variables = process.env): string | undefined {
	return env.SSH_AUTH_SOCK || undefined;
}

/**
 * The npm scripts that start Tokendrop directly. Any other script starts another program, such as a test. If that
 * program starts Tokendrop, npm's environment variables say nothing about the folder in which Tokendrop was started.
 */
const SCRIPTS = ['start', 'tokendrop', 'demo'];

/** Returns the folder in which `npm run` was typed, because npm changes the folder; undefined if npm is not used. */
export function findCallerFolder(env: Variables = process.env): string | undefined {
	const { npm_lifecycle_event: script, npm_package_name: name, INIT_CWD: folder } = env;
	return name === 'tokendrop' && SCRIPTS.includes(script ?? '') ? folder || undefined : undefined;
}

/** Reports sections that have a value instead of keys. `withoutValuesForSections` removes these values. */
function valuesForSections(layers: readonly Layer[]): SettingsProblem[] {
	return layers.flatMap(({ name, tree }) =>
		sections
			.filter((section) => Object.hasOwn(tree, section) && !isTree(tree[section]))
			.map((section) => {
				const keys = leaves.filter(({ path }) => path[0] === section).map(({ path }) => path[1]);
				const rule = `a section with the keys ${keys.join(', ')}`;
				return { key: section, source: name, value: shownValue(tree[section], section), rule, example: null };
			}),
	);
}

const sections = [...new Set(leaves.flatMap(({ path }) => (path.length > 1 ? [path[0]] : [])))];

function withoutValuesForSections(tree: Tree): Tree {
	return Object.fromEntries(Object.entries(tree).filter(([name, value]) => !sections.includes(name) || isTree(value)));
}

/** Returns the settings that obey their own rules, with defaults for the others, to check rules between several keys. */
function soundKeys(tree: Tree, defaults: Tree): Written {
	const sound = structuredClone(defaults);
	for (const { path, schema: rule } of leaves) {
		const { success, data } = rule.safeParse(findAt(tree, path));
		if (success) setAt(sound, path, data);
	}
	return sound as Written;
}

/**
 * Returns the URL of a second database, with its password, if the rules for `databaseUrl` allow it.
 * @throws SettingsError
 */
export function otherDatabaseUrl(
	settings: Settings,
	{ url, password }: { readonly url: string; readonly password: string | undefined },
	env: Variables = process.env,
): string {
	const problem = (rule: string, example: string | null = null) => {
		const value = shownValue(url, 'databaseUrl');
		return new SettingsError([{ key: 'the other database', source: 'command line', value, rule, example }]);
	};
	const { rule, example } = leaves.find(({ key }) => key === 'databaseUrl')!.notes;
	if (!schema.shape.databaseUrl.safeParse(url).success) throw problem(rule, example);
	if (hasUrlPassword(url)) throw problem('no password on a command line, which others can see: give it in a file');
	const [clear] = findClearTransport({ ...settings, databaseUrl: url }, env.PGHOST || 'localhost').filter(
		({ key }) => key === 'databaseUrl',
	);
	if (clear) throw problem(clear.rule, clear.example);
	return password === undefined ? absoluteDatabaseUrl(url) : withPassword(url, password);
}

/**
 * Checks that the settings of a key service are complete, before it is the provider.
 * @throws SettingsError with every one that is missing
 */
export function requireKeyService({ keys }: Settings, provider: Settings['keys']['provider']): void {
	const problems = keyServiceProblems(keys, provider);
	if (problems.length > 0) throw new SettingsError(problems);
}

/** Returns the settings as they may be shown, with secrets and passwords masked. */
export function shownSettings(settings: Settings): Record<string, unknown> {
	return JSON.parse(JSON.stringify({ ...settings, databaseUrl: maskUrlPassword(settings.databaseUrl) }));
}

type Shown = Readonly<Record<string, string | number | boolean | null>>;

/** Returns every setting by its key, as it may be shown. */
export function settingsByKey(settings: Settings): Shown {
	return byKey(shownSettings(settings));
}

/** Returns every setting that differs from its default, by its key, as it may be shown. */
export function changedSettings(settings: Settings): Shown {
	const defaults = settingsByKey(loadSettings({ env: {} }));
	return Object.fromEntries(Object.entries(settingsByKey(settings)).filter(([key, value]) => value !== defaults[key]));
}

/** Turns `{ sftp: { port: 1 } }` into `{ 'sftp.port': 1 }`. */
function byKey(tree: object, before = ''): Shown {
	const pairs = Object.entries(tree).flatMap(([name, value]) =>
		typeof value === 'object' && value !== null
			? Object.entries(byKey(value, `${before}${name}.`))
			: [[`${before}${name}`, value]],
	);
	return Object.fromEntries(pairs);
}

function problemsOf(issue: z.core.$ZodIssue, layers: readonly Layer[]): SettingsProblem[] {
	if (issue.code === 'unrecognized_keys') {
		return issue.keys.map((name) => {
			const path = [...issue.path, name];
			const key = path.join('.');
			const example = nearestName(
				key,
				leaves.map((leaf) => leaf.key),
			);
			return { key, ...given(path, key, layers), rule: 'a key that exists', example };
		});
	}
	const key = issue.path.join('.');
	const leaf = leaves.find((candidate) => candidate.key === key);
	const inside = leaves.filter((candidate) => candidate.key.startsWith(`${key}.`)).map((child) => child.path.at(-1));
	const rule = leaf === undefined ? `a section with the keys ${inside.join(', ')}` : wholeRule(leaf.notes);
	return [{ key, ...given(issue.path, key, layers), rule, example: leaf?.notes.example ?? null }];
}

/** Returns the value for a path from the last source that gives one, which overrides the others, and that source. */
function given(
	path: readonly PropertyKey[],
	key: string,
	layers: readonly Layer[],
): { source: string; value: string | null } {
	const layer = layers.findLast((candidate) => findAt(candidate.tree, path) !== undefined) ?? layers[0];
	const variable = leaves.find((leaf) => leaf.key === key)?.variable;
	return {
		source: layer.name === 'environment' && variable !== undefined ? variable : layer.name,
		value: shownValue(findAt(layer.tree, path), key),
	};
}

function passwordInFile(layers: readonly Layer[]): SettingsProblem[] {
	return layers.flatMap(({ name, tree }) => {
		const url = findAt(tree, ['databaseUrl']);
		if (name === 'environment' || typeof url !== 'string' || !hasUrlPassword(url)) return [];
		const rule = 'no password in a file: give the whole URL in a variable';
		const example = 'TOKENDROP_DATABASE_URL=postgres://user:password@host/database';
		return [{ key: 'databaseUrl', source: name, value: shownValue(url, 'databaseUrl'), rule, example }];
	});
}

function masterKeyProblems(masterKey: string | null, provider: unknown): SettingsProblem[] {
	const isReadable =
		masterKey !== null &&
		(/^[0-9a-f]{64}$/i.test(masterKey.trim()) || Buffer.from(masterKey.trim(), 'base64').length === 32);
	// A master key that is given but not used is reported, because its owner would believe that it protects something.
	if (provider === 'env' ? isReadable : masterKey === null) return [];
	const { rule, example } = MASTER_KEY_NOTES;
	const value = shownValue(masterKey ?? undefined, MASTER_KEY_VARIABLE, true);
	return [{ key: MASTER_KEY_VARIABLE, source: 'environment', value, rule, example }];
}

function problemsBetweenKeys(written: Written): SettingsProblem[] {
	const problems: SettingsProblem[] = [];
	const report = (key: string, value: unknown, rule: string) => problems.push(contradiction(key, value, rule));
	const { http, sftp, ops } = written;
	if (sftp.maxSessionsPerAccount > sftp.maxSessions) {
		report('sftp.maxSessionsPerAccount', sftp.maxSessionsPerAccount, `at most sftp.maxSessions (${sftp.maxSessions})`);
	}
	const { maxInFlight, maxInFlightPerAccount } = written.relay;
	if (maxInFlightPerAccount !== null && maxInFlightPerAccount > maxInFlight) {
		report('relay.maxInFlightPerAccount', maxInFlightPerAccount, `at most relay.maxInFlight (${maxInFlight})`);
	}
	const { sandboxUnits, productionUnits } = written.allowance;
	if (productionUnits !== null && sandboxUnits >= productionUnits) {
		// Sandbox accounts have a lower allowance than production accounts (spec §8).
		report('allowance.sandboxUnits', sandboxUnits, `below allowance.productionUnits (${productionUnits})`);
	}
	const { processes, databaseUrl } = written;
	if (processes !== 'auto' && processes > 1 && (databaseUrl ?? 'sqlite:').startsWith('sqlite:')) {
		report(
			'processes',
			processes,
			'1 or auto on SQLite: it has one writer, for which further processes would only wait',
		);
	}
	if ((http.tlsCertFile === null) !== (http.tlsKeyFile === null)) {
		report('http.tlsCertFile', http.tlsCertFile, 'both http.tlsCertFile and http.tlsKeyFile, or neither');
	}
	problems.push(...mailProblems(written.mail), ...keyServiceProblems(written.keys), ...dropProblems(written.drops));
	const seen = new Map<string, string>();
	for (const [name, { host, port }] of Object.entries({ http, sftp, ops })) {
		const address = `${host}:${port}`;
		if (port !== 0 && seen.has(address)) report(`${name}.port`, port, `another address than ${seen.get(address)}`);
		seen.set(address, name);
	}
	return problems;
}

/** Returns the complete URL of the database, or the problem with the file that holds its password. */
function databaseUrlOf({ databaseUrl, databasePasswordFile, dataDir }: Written): string | SettingsProblem {
	const url = absoluteDatabaseUrl(databaseUrl ?? `sqlite:${join(resolve(dataDir), 'tokendrop.sqlite')}`);
	return databasePasswordFile === null ? url : withDatabasePassword(url, databasePasswordFile);
}

function withAbsolutePaths(written: Written): Written {
	const absolute = structuredClone(written);
	for (const { path, schema: rule } of leaves) {
		const value = findAt(absolute, path);
		if (isPath(rule) && typeof value === 'string') setAt(absolute, path, resolve(value));
	}
	return absolute;
}

function derive(given: Written, masterKey: string | null, databaseUrl: string): Settings {
	const written = withAbsolutePaths(given);
	const { dataDir } = written;
	return freeze({
		...written,
		databaseUrl,
		baseUrl: written.baseUrl?.replace(/\/+$/, '') ?? listeningUrl(written.http),
		masterKeyFile: written.masterKeyFile ?? join(dataDir, 'master.key'),
		audit: { ...written.audit, headFile: written.audit.headFile ?? join(dataDir, 'audit-heads.jsonl') },
		workers: written.workers ?? availableParallelism(),
		portal: { ...written.portal, secondFactor: written.portal.secondFactor ?? 'operators' },
		relay: {
			...written.relay,
			maxInFlightPerAccount: written.relay.maxInFlightPerAccount ?? Math.ceil(written.relay.maxInFlight / 2),
			presetsDir: written.relay.presetsDir ?? join(CONFIG_DIR, 'presets'),
		},
		gateway: { ...written.gateway, driversDir: written.gateway.driversDir ?? join(CONFIG_DIR, 'gateways') },
		keys: { ...written.keys, masterKey: masterKey === null ? null : new Secret(masterKey.trim()) },
	});
}

function absoluteDatabaseUrl(url: string): string {
	return url.startsWith('sqlite:') ? `sqlite:${resolve(url.replace(/^sqlite:(\/\/)?/, ''))}` : url;
}

function listeningUrl({ host, port, tlsCertFile }: Written['http']): string | null {
	if (port === 0) return null;
	const name = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
	return `${tlsCertFile === null ? 'http' : 'https'}://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

function freeze<T extends object>(value: T): T {
	for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) freeze(inner);
	return Object.freeze(value);
}
