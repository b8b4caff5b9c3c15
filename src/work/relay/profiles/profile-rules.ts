// Checks the rules for a profile that its schema cannot express. Every rule examines the values as they were written,
// even if the schema refuses other values of the profile, so that all problems are reported at once.

import { domainToASCII } from 'node:url';
import { holdsCardNumber } from '../../../base/card/spelling/spelled-number.ts';
import { type Why, why } from '../../../base/failures.ts';
import { MASK } from '../../../base/settings/secret.ts';
import { certificateProblems } from './profile-certificates.ts';

export type Environment = 'sandbox' | 'production';

export interface BrokenRule {
	readonly path: readonly PropertyKey[];
	readonly rule: Why;
}

type Tree = Readonly<Record<string, unknown>>;

interface Circumstances {
	readonly environment: Environment;
	readonly isPreset?: boolean;
}

/** The document that is stored in clear has stars in place of these values. */
const SECRET_KEYS = ['authorization', 'clientCertificate'] as const;

/** Returns the rules that a profile breaks. `written` is what `readProfileText` returns for its text. */
export function findBrokenRules(written: unknown, circumstances: Circumstances): BrokenRule[] {
	const tree = isTree(written) ? written : {};
	return [
		...targetRules(tree, circumstances),
		...hostRules(tree),
		...bodyRules(tree),
		...headerRules(tree),
		...(circumstances.isPreset ? presetRules(tree) : []),
		...secretRules(tree),
		...certificateProblems(tree.clientCertificate, tree.authorities),
		...cardNumberRules(tree),
	];
}

function isTree(value: unknown): value is Tree {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function targetRules(tree: Tree, { environment, isPreset }: Circumstances): BrokenRule[] {
	const { targetUri, hosts, cardInUri } = tree;
	const path = ['targetUri'];
	if (targetUri === undefined && listOf(hosts).length === 0) {
		if (environment === 'production' && !isPreset) {
			const rule = 'expected targetUri or hosts: in production a profile says where its calls may go';
			return [{ path: [], rule: why(rule, 'target-missing') }];
		}
		const secret = SECRET_KEYS.find((key) => tree[key] !== undefined);
		if (secret !== undefined) {
			const rule = 'expected targetUri or hosts beside it: it is not for any host a caller names';
			return [{ path: [secret], rule: why(rule, 'target-missing') }];
		}
	}
	if (typeof targetUri !== 'string') return [];
	const url = URL.parse(targetUri);
	if (url === null || !/^https?:\/\//i.test(targetUri)) {
		return [{ path, rule: why('expected an absolute http or https address', 'url-malformed') }];
	}
	const broken: BrokenRule[] = [];
	if (url.protocol !== 'https:' && environment === 'production') {
		const rule = why('expected an https address: production sends no card data in clear', 'url-malformed');
		broken.push({ path, rule });
	}
	if (url.username !== '' || url.password !== '') {
		const rule = 'expected no user information in the address: authorization is the place for it';
		broken.push({ path, rule: why(rule, 'url-malformed') });
	}
	if (targetUri.includes('{{') && cardInUri !== 'true') {
		const rule = why('expected no placeholder in the address, or cardInUri: true', 'placeholder-in-address');
		broken.push({ path, rule });
	}
	return broken;
}

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const HOST = new RegExp(`^(?:\\*\\.(?=[^.]+\\.))?${LABEL}(?:\\.${LABEL})*$`);
const MAX_HOST_CHARACTERS = 253;
const HOST_RULE = why(
	'expected a host, api.example.com, api.example.com:8443 or *.example.com, without scheme',
	'host-malformed',
);

function hostRules({ hosts }: Tree): BrokenRule[] {
	return listOf(hosts).flatMap((host, index) =>
		typeof host !== 'string' || isHostPattern(host) ? [] : [{ path: ['hosts', index], rule: HOST_RULE }],
	);
}

function isHostPattern(written: string): boolean {
	const { host, port } = splitPort(normalHost(written));
	if (port !== '' && !(Number(port) >= 1 && Number(port) <= 65_535)) return false;
	return host.length <= MAX_HOST_CHARACTERS && (HOST.test(host) || isAddress(host));
}

const isAddress = (host: string) => /^\[[0-9a-f:.]+\]$/.test(host) && URL.canParse(`https://${host}`);

/**
 * Returns a host in the spelling that URLs use: in lower case, and with names in other scripts as punycode. Hosts are
 * compared in this spelling.
 */
export function normalHost(written: string): string {
	const { host, port } = splitPort(written.toLowerCase());
	const suffix = port === '' ? '' : `:${port}`;
	// A text with a slash, a blank or another character that no host contains is not converted to punycode, because the
	// conversion would silently drop everything after the host.
	if (/[/?#@\\:\s%]/.test(host)) return host + suffix;
	const wildcard = host.startsWith('*.') ? '*.' : '';
	return wildcard + domainToASCII(host.slice(wildcard.length)) + suffix;
}

function splitPort(text: string): { host: string; port: string } {
	const [, host, port] = /^(.*[^:]):(\d{1,5})$/.exec(text.replace(/^\[.*\]$/, '')) ?? [];
	return host === undefined ? { host: text, port: '' } : { host, port };
}

function bodyRules({ direction, body, cards, namespaces }: Tree): BrokenRule[] {
	const places = listOf(cards);
	const broken: BrokenRule[] = [];
	if (body === 'text') {
		if (direction === 'tokenize' || direction === 'both') {
			const rule = 'expected replace: the placeholders of a text are only filled';
			broken.push({ path: ['direction'], rule: why(rule, 'not-one-of', { choices: 'replace' }) });
		}
		if (places.length > 0) broken.push({ path: ['cards'], rule: unfit('a text has placeholders') });
	} else if (places.length === 0 && (cards === undefined || Array.isArray(cards))) {
		broken.push({ path: ['cards'], rule: why('expected at least one place that holds a card', 'card-place-missing') });
	}
	for (const [index, place] of places.entries()) {
		if (!isTree(place) || place.number !== undefined || place.names !== undefined) continue;
		const rule = why('expected a path, or a section with path; or names: usual beside it', 'member-missing');
		broken.push({ path: ['cards', index, 'number'], rule });
	}
	if (body !== 'xml' && isTree(namespaces) && Object.keys(namespaces).length > 0) {
		broken.push({ path: ['namespaces'], rule: unfit('namespaces belong to body: xml') });
	}
	if (body !== 'form') return broken;
	return broken.concat(
		places.flatMap((place, index) =>
			isTree(place) && place.container !== undefined
				? [{ path: ['cards', index, 'container'], rule: unfit('a form is one container') }]
				: [],
		),
	);
}

function unfit(reason: string): Why {
	return why(`expected none: ${reason}`, 'member-unfit');
}

const TOKEN_HEADER = /^x-[a-z0-9][a-z0-9_-]{0,61}$/i;
/** Matches headers that no profile names as `tokenHeader`: proxies, browsers or this service need them. */
const TAKEN_HEADER =
	/^x-(forwarded|real-ip|request-id|client-ip|frame-options|content-type-options|xss-protection|permitted-cross|dns-prefetch|download-options|accel|http-method|original|service-(?!cardUri$))/i;

function headerRules({ tokenHeader }: Tree): BrokenRule[] {
	if (typeof tokenHeader !== 'string') return [];
	if (TOKEN_HEADER.test(tokenHeader) && !TAKEN_HEADER.test(tokenHeader)) return [];
	const rule = 'expected a header name that begins with X- and has no meaning yet, such as X-service-cardUri';
	return [{ path: ['tokenHeader'], rule: why(rule, 'header-name-malformed') }];
}

function presetRules(tree: Tree): BrokenRule[] {
	const broken: BrokenRule[] = [];
	if (tree.direction !== undefined && tree.direction !== 'tokenize') {
		const rule = why('expected tokenize: a preset is for tokenization', 'not-one-of', { choices: 'tokenize' });
		broken.push({ path: ['direction'], rule });
	}
	if (tree.description === undefined) {
		const rule = why('expected a line that says what the preset is for', 'member-missing');
		broken.push({ path: ['description'], rule });
	}
	for (const key of SECRET_KEYS) {
		if (tree[key] !== undefined) broken.push({ path: [key], rule: unfit('the file of a preset is in clear') });
	}
	return broken;
}

/**
 * Refuses stars in place of a secret. A profile is shown with stars in place of its secrets; if it were saved like
 * that, the stars would become its secrets.
 */
function secretRules(tree: Tree): BrokenRule[] {
	const rule = why('expected the secret itself: the stars only stand for it', 'secret-starred');
	const certificate = isTree(tree.clientCertificate) ? tree.clientCertificate : {};
	const broken = tree.authorization === MASK ? [{ path: ['authorization'], rule }] : [];
	return broken.concat(
		['certificate', 'key', 'passphrase']
			.filter((key) => certificate[key] === MASK)
			.map((key) => ({ path: ['clientCertificate', key], rule })),
	);
}

/** Refuses card numbers everywhere but in the secrets, because the rest of a profile is stored and shown in clear. */
function cardNumberRules(tree: Tree): BrokenRule[] {
	const open = Object.entries(tree).filter(([key]) => !(SECRET_KEYS as readonly string[]).includes(key));
	return open.flatMap(([key, value]) => placesOfCardNumbers(value, [key])).map((path) => ({ path, rule: NO_CARD }));
}

const NO_CARD = why('expected no card number: a profile is kept in clear', 'like-a-card');

function placesOfCardNumbers(value: unknown, path: readonly PropertyKey[]): (readonly PropertyKey[])[] {
	const name = String(path.at(-1));
	const own = holdsCardNumber(name) || (typeof value === 'string' && holdsCardNumber(value)) ? [path] : [];
	if (typeof value !== 'object' || value === null) return own;
	return own.concat(Object.entries(value).flatMap(([key, inner]) => placesOfCardNumbers(inner, [...path, key])));
}
