// Reads a destination that people write in YAML or JSON, and reports all its problems at once with their places.

import { holdsCardNumber } from '../../../base/card/spelling/spelled-number.ts';
import { ServiceError } from '../../../base/errors.ts';
import { unlockKey } from '../../../base/outbound/sftp/sftp-login.ts';
import {
	DEFAULT_REGION,
	endpointOf,
	findOrigin,
	isAccessKeyId,
	isBucketName,
	isRegion,
} from '../../../base/settings/drop-settings.ts';
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
const NO_CARD = 'expected no card number: a destination is kept in clear';

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
	note(key: Key, rule: string | undefined): void;
	/**
	 * Notes a problem of secrets for the whole document. If the text began with the name of a secret, the redaction of error
	 * texts would replace the first word of the rule.
	 */
	noteSecrets(rule: string | undefined): void;
	textOf(key: Key, absent?: string): string;
}

/**
 * Reads a destination. Secrets given separately replace those in the text.
 * @throws ServiceError with a line for each problem, which never quotes the text
 */
export function parseDestination(text: string, apart: DestinationSecrets = {}): DestinationDocument {
	const written = readProfileText(text);
	const problems: Problem[] = [...written.problems];
	if (problems.length > 0) throw unusable(problems);
	const members = (written.value ?? {}) as Record<string, unknown>;
	if (typeof members !== 'object' || Array.isArray(members))
		throw unusable([written.problemAt([], 'expected keys and values')]);
	const note = (key: Key, rule: string | undefined) => {
		if (rule !== undefined) problems.push(written.problemAt([key], `${key}: ${rule}`));
	};
	for (const name of Object.keys(members)) {
		if (!(KEYS as readonly string[]).includes(name))
			problems.push(written.problemAtKey([name], `no such key; one of ${KEYS.join(', ')}`));
	}
	const reader: Reader = {
		members,
		note,
		noteSecrets: (rule) => void (rule !== undefined && problems.push(written.problemAt([], rule))),
		textOf(key, absent = '') {
			const value = members[key];
			if (value === undefined) return absent;
			if (typeof value === 'string') return value;
			note(key, 'expected text');
			return absent;
		},
	};
	const name = reader.textOf('name');
	note('name', nameProblem(name));
	const kind = reader.textOf('kind', 'sftp');
	note('kind', (DESTINATION_KINDS as readonly string[]).includes(kind) ? undefined : 'expected sftp, ftps or s3');
	const folder = reader.textOf('folder');
	note('folder', folderProblem(folder));
	const document =
		kind === 's3'
			? readBucket(reader, { name, folder }, apart)
			: readServer(reader, { name, folder, isFtps: kind === 'ftps' }, apart);
	for (const [key, value] of Object.entries(document.destination)) {
		if (typeof value === 'string' && holdsCardNumber(value)) note(key as Key, NO_CARD);
	}
	if (problems.length > 0) throw unusable(problems);
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
	const { hostKeys, problem } = readHostKeys(listOf(members.hostKeys));
	note('hostKeys', problem);
	const { certificates, problem: certificateProblem } = readCertificates(listOf(members.certificates));
	note(
		'certificates',
		certificateProblem ?? (!isFtps && certificates.length > 0 ? 'only for kind ftps; sftp has hostKeys' : undefined),
	);
	if (isFtps && hostKeys.length > 0) note('hostKeys', 'only for kind sftp; ftps has certificates');
	for (const key of BUCKET_KEYS) if (members[key] !== undefined) note(key, 'only for kind s3');
	const { secrets, rule } = secretsOf(textOf, apart);
	if (secrets.privateKey !== undefined) note('privateKey', rule);
	else noteSecrets(rule);
	if (rule === undefined && isFtps && (secrets.privateKey !== undefined || secrets.password === undefined)) {
		noteSecrets('ftps needs a password, and takes no key');
	}
	if ((apart.secretKey ?? members.secretKey) !== undefined) noteSecrets('only kind s3 takes a secretKey');
	const kind = isFtps ? 'ftps' : 'sftp';
	return { destination: { name, kind, host, port, userName, folder, hostKeys, certificates }, secrets };
}

function readBucket(
	{ members, note, noteSecrets, textOf }: Reader,
	{ name, folder }: Pick<BucketDestination, 'name' | 'folder'>,
	apart: DestinationSecrets,
): DestinationDocument {
	const region = textOf('region', DEFAULT_REGION);
	note('region', isRegion(region) ? undefined : 'expected a region, such as eu-central-1');
	const endpoint = findOrigin(textOf('endpoint', endpointOf(isRegion(region) ? region : DEFAULT_REGION))) ?? '';
	note('endpoint', endpoint === '' ? 'expected the address of a server, https://, without a path' : undefined);
	const bucket = textOf('bucket');
	note('bucket', isBucketName(bucket) ? undefined : 'expected 3 to 63 small letters, digits, dots and hyphens');
	const accessKeyId = textOf('accessKeyId');
	note('accessKeyId', isAccessKeyId(accessKeyId) ? undefined : 'expected 1 to 128 characters without blanks');
	for (const key of SERVER_KEYS) if (members[key] !== undefined) note(key, 'only for kinds sftp and ftps');
	const secretKey = apart.secretKey ?? textOf('secretKey');
	if (secretKey === '') noteSecrets('s3 needs a secretKey');
	const others = (['password', 'privateKey', 'passphrase'] as const).filter(
		(key) => (apart[key] ?? members[key]) !== undefined,
	);
	if (others.length > 0) noteSecrets(`s3 takes a secretKey, and no ${others.join(', ')}`);
	return { destination: { name, kind: 's3', endpoint, bucket, region, accessKeyId, folder }, secrets: { secretKey } };
}

type Problem = ReturnType<ProfileText['problemAt']>;

function unusable(problems: readonly Problem[]): ServiceError {
	const lines = problems.map(({ line, column, rule }) => `  line ${line}, column ${column}: ${rule}`);
	return new ServiceError('bad-input-data', { moreInfo: ['the destination is not usable:', ...lines].join('\n') });
}

/** Returns a value as a list, because a single fingerprint may be written without a list. */
function listOf(value: unknown): string[] {
	if (value === undefined) return [];
	return (Array.isArray(value) ? value : [value]).map((each) => (typeof each === 'string' ? each : ''));
}

function secretsOf(
	textOf: (key: Key) => string,
	apart: DestinationSecrets,
): { readonly secrets: DestinationSecrets; readonly rule?: string } {
	const given = (key: (typeof SECRET_KEYS)[number]) => (apart[key] ?? textOf(key)) || undefined;
	const [password, privateKey, passphrase] = [given('password'), given('privateKey'), given('passphrase')];
	const secrets = password === undefined ? {} : { password };
	if (privateKey === undefined) {
		if (passphrase !== undefined) return { secrets, rule: 'a passphrase opens a privateKey, and none is given' };
		return password === undefined ? { secrets, rule: 'a password or a privateKey is required' } : { secrets };
	}
	const opened = unlockKey(privateKey, passphrase);
	if ('problem' in opened) return { secrets: { ...secrets, privateKey }, rule: opened.problem };
	return { secrets: { ...secrets, privateKey: opened.privateKey } };
}
