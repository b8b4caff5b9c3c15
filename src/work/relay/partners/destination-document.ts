// Reads a destination that people write in YAML or JSON, and reports all its problems at once with their places.

import { holdsCardNumber } from '../../../base/card/spelling/spelled-number.ts';
import { type Why, why } from '../../../base/failures.ts';
import { unlockKey } from '../../../base/outbound/sftp/sftp-login.ts';
import {
	DEFAULT_REGION,
	endpointOf,
	findOrigin,
	isAccessKeyId,
	isBucketName,
	isRegion,
} from '../../../base/settings/drop-settings.ts';
import { DestinationError, type ProfileProblem, withoutPath } from '../profiles/profile-problems.ts';
import { type ProfileText, readProfileText } from '../profiles/profile-text.ts';
import {
	type BucketDestination,
	DEFAULT_FTPS_PORT,
	DEFAULT_SFTP_PORT,
	DESTINATION_KINDS,
	type DestinationSecrets,
	findHost,
	folderProblem,
	HOST_RULE,
	nameProblem,
	portProblem,
	readCertificates,
	readHostKeys,
	type ServerDestination,
	userNameProblem,
} from './destination.ts';

/** The members that every kind has, and those that only some have. */
const COMMON_KEYS = ['name', 'kind', 'folder'] as const;
const SERVER_KEYS = ['host', 'port', 'userName', 'hostKeys', 'certificates'] as const;
const BUCKET_KEYS = ['endpoint', 'bucket', 'region', 'accessKeyId'] as const;
const SECRET_KEYS = ['password', 'privateKey', 'passphrase', 'secretKey'] as const;
const KEYS = [...COMMON_KEYS, ...SERVER_KEYS, ...BUCKET_KEYS, ...SECRET_KEYS] as const;
type Key = (typeof KEYS)[number];
const NO_KIND = why('expected sftp, ftps or s3', 'not-one-of', { choices: DESTINATION_KINDS.join(', ') });
const NO_CARD = why('expected no card number: a destination is kept in clear', 'like-a-card');

export interface DestinationDocument {
	/** Without a kind it is reached over sFTP. */
	readonly destination:
		| (Omit<ServerDestination, 'kind' | 'certificates'> & Partial<Pick<ServerDestination, 'kind' | 'certificates'>>)
		| BucketDestination;
	readonly secrets: DestinationSecrets;
}

/** What reads the members of a document and notes what is wrong with them. */
interface Reader {
	readonly members: Readonly<Record<string, unknown>>;
	note(key: Key, rule: Why | undefined): void;
	/**
	 * Notes a problem of secrets for the whole document. If the text began with the name of a secret, the redaction of error
	 * texts would replace the first word of the rule.
	 */
	noteSecrets(rule: Why | undefined): void;
	textOf(key: Key, absent?: string): string;
}

/**
 * Reads a destination. Secrets given separately replace those in the text.
 * @throws DestinationError with a line for each problem, which never quotes the text
 */
export function parseDestination(text: string, apart: DestinationSecrets = {}): DestinationDocument {
	const written = readProfileText(text);
	const problems = withoutPath(written.problems);
	if (problems.length > 0) throw new DestinationError(problems);
	const members = (written.value ?? {}) as Record<string, unknown>;
	const noteWhole = (rule: Why) => problems.push(...withoutPath([written.problemAt([], rule)]));
	if (typeof members !== 'object' || Array.isArray(members)) {
		noteWhole(why('expected keys and values', 'members-expected', { known: KEYS.join(', ') }));
		throw new DestinationError(problems);
	}
	const note = (key: Key, rule: Why | undefined) => {
		if (rule !== undefined) problems.push({ ...written.problemAt([key], rule), path: key });
	};
	for (const name of Object.keys(members)) {
		if (!(KEYS as readonly string[]).includes(name)) problems.push(...withoutPath([unknownKey(written, name)]));
	}
	const reader: Reader = {
		members,
		note,
		noteSecrets: (rule) => void (rule !== undefined && noteWhole(rule)),
		textOf(key, absent = '') {
			const value = members[key];
			if (value === undefined) return absent;
			if (typeof value === 'string') return value;
			note(key, why('expected text', 'type-expected', { type: 'text' }));
			return absent;
		},
	};
	const name = reader.textOf('name');
	note('name', nameProblem(name));
	const kind = reader.textOf('kind', 'sftp');
	if (!(DESTINATION_KINDS as readonly string[]).includes(kind)) note('kind', NO_KIND);
	const folder = reader.textOf('folder');
	note('folder', folderProblem(folder));
	const document =
		kind === 's3'
			? readBucket(reader, { name, folder }, apart)
			: readServer(reader, { name, folder, isFtps: kind === 'ftps' }, apart);
	for (const [key, value] of Object.entries(document.destination)) {
		if (typeof value === 'string' && holdsCardNumber(value)) note(key as Key, NO_CARD);
	}
	if (problems.length > 0) throw new DestinationError(problems);
	return document;
}

function readServer(
	{ members, note, noteSecrets, textOf }: Reader,
	{ isFtps, name, folder }: Pick<ServerDestination, 'name' | 'folder'> & { readonly isFtps: boolean },
	apart: DestinationSecrets,
): DestinationDocument {
	const host = findHost(textOf('host')) ?? '';
	note('host', host === '' ? HOST_RULE : undefined);
	const port = Number(textOf('port', String(isFtps ? DEFAULT_FTPS_PORT : DEFAULT_SFTP_PORT)));
	note('port', portProblem(port));
	const userName = textOf('userName');
	note('userName', userNameProblem(userName));
	const { pins: hostKeys, problem } = readHostKeys(listOf(members.hostKeys));
	note('hostKeys', problem);
	const { pins: certificates, problem: certificateProblem } = readCertificates(listOf(members.certificates));
	note(
		'certificates',
		certificateProblem ??
			(!isFtps && certificates.length > 0 ? unfit('only for kind ftps; sftp has hostKeys') : undefined),
	);
	if (isFtps && hostKeys.length > 0) note('hostKeys', unfit('only for kind sftp; ftps has certificates'));
	for (const key of BUCKET_KEYS) if (members[key] !== undefined) note(key, unfit('only for kind s3'));
	const { secrets, rule } = secretsOf(textOf, apart);
	if (secrets.privateKey !== undefined) note('privateKey', rule);
	else noteSecrets(rule);
	if (rule === undefined && isFtps && (secrets.privateKey !== undefined || secrets.password === undefined)) {
		noteSecrets(why('ftps needs a password, and takes no key', 'secret-unfit'));
	}
	if ((apart.secretKey ?? members.secretKey) !== undefined)
		noteSecrets(why('only kind s3 takes a secretKey', 'secret-unfit'));
	const kind = isFtps ? 'ftps' : 'sftp';
	return { destination: { name, kind, host, port, userName, folder, hostKeys, certificates }, secrets };
}

function readBucket(
	{ members, note, noteSecrets, textOf }: Reader,
	{ name, folder }: Pick<BucketDestination, 'name' | 'folder'>,
	apart: DestinationSecrets,
): DestinationDocument {
	const region = textOf('region', DEFAULT_REGION);
	if (!isRegion(region)) note('region', why('expected a region, such as eu-central-1', 'region-malformed'));
	const endpoint = findOrigin(textOf('endpoint', endpointOf(isRegion(region) ? region : DEFAULT_REGION))) ?? '';
	if (endpoint === '') {
		note('endpoint', why('expected the address of a server, https://, without a path', 'origin-malformed'));
	}
	const bucket = textOf('bucket');
	if (!isBucketName(bucket)) {
		note('bucket', why('expected 3 to 63 small letters, digits, dots and hyphens', 'bucket-name-malformed'));
	}
	const accessKeyId = textOf('accessKeyId');
	if (!isAccessKeyId(accessKeyId)) {
		note('accessKeyId', why('expected 1 to 128 characters without blanks', 'access-key-malformed'));
	}
	for (const key of SERVER_KEYS) if (members[key] !== undefined) note(key, unfit('only for kinds sftp and ftps'));
	const secretKey = apart.secretKey ?? textOf('secretKey');
	if (secretKey === '') noteSecrets(why('s3 needs a secretKey', 'secret-missing'));
	const others = (['password', 'privateKey', 'passphrase'] as const).filter(
		(key) => (apart[key] ?? members[key]) !== undefined,
	);
	if (others.length > 0) noteSecrets(why(`s3 takes a secretKey, and no ${others.join(', ')}`, 'secret-unfit'));
	return { destination: { name, kind: 's3', endpoint, bucket, region, accessKeyId, folder }, secrets: { secretKey } };
}

function unfit(rule: string): Why {
	return why(rule, 'member-unfit');
}

function unknownKey(written: ProfileText, name: string): ProfileProblem {
	const known = KEYS.join(', ');
	return written.problemAtKey([name], why(`no such key; one of ${known}`, 'member-unknown', { known }));
}

/** Returns a value as a list, because a single fingerprint may be written without a list. */
function listOf(value: unknown): string[] {
	if (value === undefined) return [];
	return (Array.isArray(value) ? value : [value]).map((each) => (typeof each === 'string' ? each : ''));
}

function secretsOf(
	textOf: (key: Key) => string,
	apart: DestinationSecrets,
): { readonly secrets: DestinationSecrets; readonly rule?: Why } {
	const given = (key: (typeof SECRET_KEYS)[number]) => (apart[key] ?? textOf(key)) || undefined;
	const [password, privateKey, passphrase] = [given('password'), given('privateKey'), given('passphrase')];
	const secrets = password === undefined ? {} : { password };
	if (privateKey === undefined) {
		if (passphrase !== undefined)
			return { secrets, rule: why('a passphrase opens a privateKey, and none is given', 'secret-missing') };
		if (password !== undefined) return { secrets };
		return { secrets, rule: why('a password or a privateKey is required', 'secret-missing') };
	}
	const opened = unlockKey(privateKey, passphrase);
	if ('problem' in opened)
		return { secrets: { ...secrets, privateKey }, rule: why(opened.problem, 'private-key-malformed') };
	return { secrets: { ...secrets, privateKey: opened.privateKey } };
}
