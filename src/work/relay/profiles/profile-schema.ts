// Defines the schema of a profile, key by key (shapes §4). Rules that concern several keys are in profile-rules.ts.
// Numbers and booleans are still text when the schema checks them.

import { z } from 'zod';
import { CARD_TYPES } from '../../../base/card/brand.ts';
import { CARD_PARTS, type CardPart, HTTP_METHODS } from './profile.ts';

/**
 * The rule for the names of profiles, both those of accounts and those of presets. Names are compared exactly, so upper
 * and lower case differ (spec §2.5).
 */
export const PROFILE_NAME = /^[A-Za-z0-9]{1,64}$/;

const MAX_CARDS = 50;
const MAX_HOSTS = 100;
const MAX_NAMESPACES = 50;
const MAX_PATH_CHARACTERS = 500;
const MAX_SUBSTRING = 10_000;
const MAX_SECRET_CHARACTERS = 8192;

const expected = (rule: string) => ({ error: `expected ${rule}` });
const text = (rule: string, pattern: RegExp) => z.string(expected(rule)).regex(pattern, expected(rule));
const oneOf = <const T extends readonly string[]>(values: T) => z.enum(values, expected(alternatives(values)));
const section = <T extends z.ZodRawShape>(shape: T, rule = 'a section with keys') =>
	z.strictObject(shape, expected(rule));

function alternatives(values: readonly string[]): string {
	return values.length === 1 ? values[0] : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
}

const PRINTABLE = /^[^\p{Cc}]*$/u;
const line = (rule: string, characters: number) =>
	z.string(expected(rule)).min(1, expected(rule)).max(characters, expected(rule)).regex(PRINTABLE, expected(rule));
const path = line(`a path of 1 to ${MAX_PATH_CHARACTERS} characters`, MAX_PATH_CHARACTERS);

/** Marks a problem as one of the key itself, not of its value. */
export const AT_KEY = { isAtKey: true };

/**
 * Returns a schema for a map from keys to texts, with a limited number of entries. Each key is checked here, because
 * the schema library would report a wrong key without saying what is wrong with it.
 */
function table(rule: string, isKey: (key: string) => boolean, keyRule: string, value: z.ZodString) {
	return z
		.record(z.string(), value, expected(rule))
		.superRefine((entries, context) => {
			for (const key of Object.keys(entries)) {
				if (!isKey(key))
					context.addIssue({ code: 'custom', path: [key], message: `expected ${keyRule}`, params: AT_KEY });
			}
		})
		.refine((entries) => Object.keys(entries).length <= MAX_NAMESPACES, expected(`at most ${MAX_NAMESPACES} entries`));
}

const count = (least: number) => {
	const rule = expected(`a whole number from ${least} to ${MAX_SUBSTRING}`);
	return z
		.string(rule)
		.regex(/^\d{1,5}$/, rule)
		.transform(Number)
		.refine((value) => value >= least && value <= MAX_SUBSTRING, rule);
};
const substring = z.tuple([count(0), count(1)], expected('[offset, length]'));

const place = { path, substring: substring.optional() };
/** Returns the schema of a selector. A selector may be written as a plain string, which is then its path. */
const selector = <T extends z.ZodRawShape>(more: T) =>
	z.preprocess(
		(value) => (typeof value === 'string' ? { path: value } : value),
		section({ ...place, ...more }, 'a path, or a section with path'),
	);
const plainPart = selector({});

const isCardType = (name: string) => (CARD_TYPES as readonly string[]).includes(name);
const typeMap = table(
	'our card types with the codes of the third party',
	isCardType,
	'a card type of ours as the key (Visa, MasterCard, AMEX …)',
	line('the code of the third party', 256),
);

const cardShape = {
	container: path.optional(),
	names: oneOf(['usual']).optional(),
	number: plainPart.optional(),
	expiryMonth: selector({ format: oneOf(['M', 'MM']).optional() }).optional(),
	expiryYear: selector({ format: oneOf(['YY', 'YYYY']).optional() }).optional(),
	nameOnCard: plainPart.optional(),
	securityCode: plainPart.optional(),
	type: selector({ map: typeMap.optional() }).optional(),
} satisfies Record<CardPart | 'container' | 'names', z.ZodType>;

const certificateShape = {
	certificate: z.string(expected('a certificate in PEM')),
	key: z.string(expected('its private key in PEM')),
	passphrase: z.string(expected('text')).max(MAX_SECRET_CHARACTERS, expected('a shorter passphrase')).optional(),
};

const isTrue = z
	.string(expected('true or false'))
	.regex(/^(true|false)$/, expected('true or false'))
	.transform((written) => written === 'true');

const NAMESPACE_PREFIX = /^[\p{L}_][\p{L}\p{N}_.-]*$/u;
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+([ \t]*;[ \t]*[\w!#$&^.+-]+=("[^"\\\p{Cc}]*"|[\w!#$&^.+:/-]+))*$/u;

const profileShape = {
	name: text('1 to 64 letters and digits', PROFILE_NAME),
	description: line('a line of at most 500 characters', 500).optional(),
	direction: oneOf(['replace', 'tokenize', 'both']),
	body: oneOf(['xml', 'json', 'form', 'text']),
	targetUri: z
		.string(expected('an absolute http or https address'))
		.max(2048, expected('a shorter address'))
		.optional(),
	hosts: z
		.array(z.string(expected('a host')), expected('a list of hosts'))
		.max(MAX_HOSTS, expected(`at most ${MAX_HOSTS} hosts`))
		.default([]),
	httpMethod: oneOf(HTTP_METHODS).default('POST'),
	contentType: text('a media type, such as text/xml; charset=utf-8', MEDIA_TYPE).optional(),
	namespaces: table(
		'prefixes with their namespaces',
		(key) => NAMESPACE_PREFIX.test(key),
		'a prefix as the key: letters, digits, _, - and .',
		line('a namespace', 1024),
	).default({}),
	cards: z
		.array(section(cardShape), expected('a list of places that hold a card'))
		.max(MAX_CARDS, expected(`at most ${MAX_CARDS} places`))
		.default([]),
	tokenHeader: z.string(expected('the name of a header')).default('X-service-cardUri'),
	inPlace: oneOf(['mask', 'token']).default('mask'),
	cardInUri: isTrue.default(false),
	authorization: text(
		`the value of an Authorization header in one line of at most ${MAX_SECRET_CHARACTERS} characters`,
		/^[\x21-\x7e]([\x20-\x7e]{0,8190}[\x21-\x7e])?$/,
	).optional(),
	clientCertificate: section(certificateShape).optional(),
	authorities: z.string(expected('certificates in PEM')).optional(),
};

export const profileSchema = section(profileShape);

/** Reads only the parts that selectors are made from, to check these even if other keys are wrong. */
export const selectorSchema = z.object({
	body: profileShape.body,
	cards: profileShape.cards,
	namespaces: profileShape.namespaces,
});

/** Returns the keys that are allowed at a path in a profile, so that an unknown key is told with the right one. */
export function knownKeys(path: readonly PropertyKey[]): readonly string[] {
	const [first, , part] = path;
	if (path.length === 0) return Object.keys(profileShape);
	if (first === 'clientCertificate') return Object.keys(certificateShape);
	if (first !== 'cards') return [];
	if (part === undefined) return ['container', 'names', ...CARD_PARTS];
	const own = { expiryMonth: ['format'], expiryYear: ['format'], type: ['map'] }[String(part)] ?? [];
	return [...Object.keys(place), ...own];
}
