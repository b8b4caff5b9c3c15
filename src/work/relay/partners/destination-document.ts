// Reads a destination that people write in YAML or JSON, and reports all its problems at once with their places.

import { holdsCardNumber } from '../../../base/card/spelling/spelled-number.ts';
import { ServiceError } from '../../../base/errors.ts';
import { unlockKey } from '../../../base/outbound/sftp/sftp-login.ts';
import { type ProfileText, readProfileText } from '../profiles/profile-text.ts';
import {
	DEFAULT_FTPS_PORT,
	DEFAULT_SFTP_PORT,
	DESTINATION_KINDS,
	type Destination,
	type DestinationKind,
	type DestinationSecrets,
	findHost,
	folderProblem,
	HOST_RULE,
	nameProblem,
	portProblem,
	readCertificates,
	readHostKeys,
	userNameProblem,
} from './destination.ts';

const KEYS = [
	'name',
	'kind',
	'host',
	'port',
	'userName',
	'folder',
	'hostKeys',
	'certificates',
	'password',
	'privateKey',
	'passphrase',
] as const;
type Key = (typeof KEYS)[number];
const NO_CARD = 'expected no card number: a destination is kept in clear';

export interface DestinationDocument {
	/** Without a kind it is reached over sFTP. */
	readonly destination: Omit<Destination, 'kind' | 'certificates'> &
		Partial<Pick<Destination, 'kind' | 'certificates'>>;
	readonly secrets: DestinationSecrets;
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
		if (!(KEYS as readonly string[]).includes(name)) problems.push(unknownKey(written, name));
	}
	const textOf = (key: Key, absent = ''): string => {
		const value = members[key];
		if (value === undefined) return absent;
		if (typeof value === 'string') return value;
		note(key, 'expected text');
		return absent;
	};

	const name = textOf('name');
	note('name', nameProblem(name));
	const host = findHost(textOf('host')) ?? '';
	note('host', host === '' ? HOST_RULE : undefined);
	const kind = textOf('kind', 'sftp');
	note('kind', kindProblem(kind));
	const isFtps = kind === 'ftps';
	const port = Number(textOf('port', String(isFtps ? DEFAULT_FTPS_PORT : DEFAULT_SFTP_PORT)));
	note('port', portProblem(port));
	const userName = textOf('userName');
	note('userName', userNameProblem(userName));
	const folder = textOf('folder');
	note('folder', folderProblem(folder));
	const { hostKeys, problem } = readHostKeys(listOf(members.hostKeys));
	note('hostKeys', problem);
	const { certificates, problem: certificateProblem } = readCertificates(listOf(members.certificates));
	note(
		'certificates',
		certificateProblem ?? (!isFtps && certificates.length > 0 ? 'only for kind ftps; sftp has hostKeys' : undefined),
	);
	if (isFtps && hostKeys.length > 0) note('hostKeys', 'only for kind sftp; ftps has certificates');
	const { secrets, rule: secretsRule } = secretsOf(textOf, apart);
	if (secrets.privateKey !== undefined) note('privateKey', secretsRule);
	// The problem is reported for the whole document, not for its member `password`. Otherwise the text would contain
	// `password:` before the rule, and the redaction of error texts would replace the first word of the rule.
	else if (secretsRule !== undefined) problems.push(written.problemAt([], secretsRule));
	for (const [key, value] of Object.entries({ name, host, userName, folder })) {
		if (holdsCardNumber(value)) note(key as Key, NO_CARD);
	}
	if (problems.length > 0) throw unusable(problems);
	if (isFtps && (secrets.privateKey !== undefined || secrets.password === undefined)) {
		throw unusable([written.problemAt([], 'ftps needs a password, and takes no key')]);
	}
	return {
		destination: { name, kind: kind as DestinationKind, host, port, userName, folder, hostKeys, certificates },
		secrets,
	};
}

function kindProblem(kind: string): string | undefined {
	if ((DESTINATION_KINDS as readonly string[]).includes(kind)) return undefined;
	return kind === 's3' ? 'this version cannot reach S3 yet: expected sftp or ftps' : 'expected sftp or ftps';
}

type Problem = ReturnType<ProfileText['problemAt']>;

function unusable(problems: readonly Problem[]): ServiceError {
	const lines = problems.map(({ line, column, rule }) => `  line ${line}, column ${column}: ${rule}`);
	return new ServiceError('bad-input-data', { moreInfo: ['the destination is not usable:', ...lines].join('\n') });
}

function unknownKey(written: ProfileText, name: string): Problem {
	return written.problemAtKey([name], `no such key; one of ${KEYS.join(', ')}`);
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
	const given = (key: keyof DestinationSecrets) => (apart[key] ?? textOf(key)) || undefined;
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
