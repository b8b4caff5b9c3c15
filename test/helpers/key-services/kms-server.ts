// Stands in for AWS Key Management Service: Encrypt and Decrypt with symmetric keys, checked signatures, and its errors. The real
// client of AWS works with it (test/keys/providers/kms.test.ts), so that it is known to be like the service.

import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import { type Asked, openServiceDouble, type Releasing, type ServiceDouble, type Told } from './services.ts';

export const REGION = 'eu-central-1';
const ACCOUNT = '111122223333';
const SKEW_MS = 300_000;

type KeyState = 'Enabled' | 'Disabled' | 'PendingDeletion';

export interface KmsDouble extends ServiceDouble {
	/** The users, by their access key id. */
	readonly users: Map<string, { readonly secret: string; readonly sessionToken?: string; mayUseKeys: boolean }>;
	/** Makes a key and returns its id. */
	makeKey(alias: string): string;
	setState(keyId: string, state: KeyState): void;
	/** The error that answers everything while it is set, as `[status, type]`. */
	failing: readonly [status: number, type: string] | undefined;
}

interface Key {
	readonly id: string;
	readonly alias: string;
	readonly material: Buffer;
	state: KeyState;
}

class KmsError extends Error {
	readonly type: string;
	readonly status: number;

	constructor(type: string, message: string, status = 400) {
		super(message);
		this.type = type;
		this.status = status;
	}
}

export async function openKmsDouble(t: Releasing): Promise<KmsDouble> {
	const keys = new Map<string, Key>();
	const users: KmsDouble['users'] = new Map([['AKIATEST', { secret: 'a secret of tests', mayUseKeys: true }]]);
	const standing: Pick<KmsDouble, 'failing'> = { failing: undefined };

	const find = (named: unknown): Key => {
		const id = String(named).replace(/^arn:aws:kms:[^:]*:\d+:(key\/)?/, '');
		const key = [...keys.values()].find((each) => each.id === id || each.alias === id);
		if (!key) throw new KmsError('NotFoundException', `Key '${id}' does not exist`);
		return key;
	};
	const usable = (key: Key): Key => {
		const arn = `arn:aws:kms:${REGION}:${ACCOUNT}:key/${key.id}`;
		if (key.state === 'Disabled') throw new KmsError('DisabledException', `${arn} is disabled.`);
		if (key.state === 'PendingDeletion') throw new KmsError('KMSInvalidStateException', `${arn} is pending deletion.`);
		return key;
	};
	const contextOf = (body: Body) => Buffer.from(JSON.stringify(Object.entries(body.EncryptionContext ?? {}).sort()));

	const answer = (asked: Asked): Told => {
		try {
			const { failing } = standing;
			if (failing) throw new KmsError(failing[1], 'as the test wants', failing[0]);
			const { mayUseKeys } = checkSignature(asked, users);
			const operation = String(asked.request.headers['x-amz-target']).replace(/^TrentService\./, '');
			const body = JSON.parse(asked.body.toString()) as Body;
			if (!mayUseKeys) throw new KmsError('AccessDeniedException', `not authorized to perform: kms:${operation}`);
			if (operation === 'Encrypt') {
				const key = usable(find(body.KeyId));
				const iv = randomBytes(12);
				const cipher = createCipheriv('aes-256-gcm', key.material, iv).setAAD(contextOf(body));
				const sealed = Buffer.concat([cipher.update(Buffer.from(body.Plaintext!, 'base64')), cipher.final()]);
				const blob = Buffer.concat([Buffer.from(key.id), iv, cipher.getAuthTag(), sealed]);
				return { status: 200, json: { CiphertextBlob: blob.toString('base64'), KeyId: arnOf(key) } };
			}
			if (operation !== 'Decrypt') throw new KmsError('UnknownOperationException', '');
			const blob = Buffer.from(body.CiphertextBlob!, 'base64');
			const wrapping = keys.get(blob.subarray(0, 36).toString());
			if (!wrapping) throw new KmsError('InvalidCiphertextException', '');
			if (body.KeyId !== undefined && find(body.KeyId) !== wrapping)
				throw new KmsError(
					'IncorrectKeyException',
					'The key ID in the request does not identify a CMK that can do this.',
				);
			const key = usable(wrapping);
			const decipher = createDecipheriv('aes-256-gcm', key.material, blob.subarray(36, 48));
			decipher.setAAD(contextOf(body)).setAuthTag(blob.subarray(48, 64));
			try {
				const plain = Buffer.concat([decipher.update(blob.subarray(64)), decipher.final()]);
				return { status: 200, json: { Plaintext: plain.toString('base64'), KeyId: arnOf(key) } };
			} catch {
				throw new KmsError('InvalidCiphertextException', '');
			}
		} catch (error) {
			if (!(error instanceof KmsError)) throw error;
			const headers = { 'x-amzn-errortype': error.type, 'content-type': 'application/x-amz-json-1.1' };
			return { status: error.status, json: { __type: error.type, message: error.message }, headers };
		}
	};
	const double = await openServiceDouble(t, {
		nameOf: ({ request }) => String(request.headers['x-amz-target']).replace(/^TrentService\./, ''),
		answer,
	});
	return Object.defineProperty(
		Object.assign(double, {
			users,
			makeKey(alias: string) {
				const id = `${randomBytes(4).toString('hex')}-1111-4222-8333-${randomBytes(6).toString('hex')}`;
				keys.set(id, { id, alias, material: randomBytes(32), state: 'Enabled' });
				return id;
			},
			setState: (keyId: string, state: KeyState) => void (keys.get(keyId)!.state = state),
		}),
		'failing',
		{ get: () => standing.failing, set: (next: KmsDouble['failing']) => (standing.failing = next) },
	) as KmsDouble;
}

interface Body {
	readonly KeyId?: string;
	readonly Plaintext?: string;
	readonly CiphertextBlob?: string;
	readonly EncryptionContext?: Readonly<Record<string, string>>;
}

function arnOf({ id }: Key): string {
	return `arn:aws:kms:${REGION}:${ACCOUNT}:key/${id}`;
}

/** Checks the signature of a request with code of its own, and returns who signed it. */
function checkSignature({ method, path, request, body }: Asked, users: KmsDouble['users']) {
	const header = String(request.headers.authorization);
	const [, id, day, region, service, names, given] =
		/^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w{64})$/.exec(
			header,
		) ?? [];
	if (given === undefined) throw new KmsError('MissingAuthenticationTokenException', 'Missing Authentication Token');
	const user = users.get(id);
	if (!user)
		throw new KmsError('UnrecognizedClientException', 'The security token included in the request is invalid.');
	if (user.sessionToken !== request.headers['x-amz-security-token'])
		throw new KmsError('ExpiredTokenException', 'The security token included in the request is expired');
	const time = String(request.headers['x-amz-date']);
	const [, y, mo, d, h, mi, s] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(time) ?? [];
	const signedAt = Date.UTC(Number(y), Number(mo) - 1, Number(d), Number(h), Number(mi), Number(s));
	if (!(Math.abs(Date.now() - signedAt) < SKEW_MS))
		throw new KmsError('InvalidSignatureException', `Signature expired: ${time} is now earlier than the time of AWS`);
	const mac = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest();
	const hash = (bytes: Buffer | string) => createHash('sha256').update(bytes).digest('hex');
	let lines = `${method}\n${path.split('?')[0]}\n${path.split('?')[1] ?? ''}\n`;
	for (const name of names.split(';')) lines += `${name}:${String(request.headers[name]).trim()}\n`;
	lines += `\n${names}\n${hash(body)}`;
	const scope = `${day}/${region}/${service}/aws4_request`;
	const dayKey = mac(mac(mac(mac(`AWS4${user.secret}`, day), region), service), 'aws4_request');
	const expected = mac(dayKey, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${hash(lines)}`).toString('hex');
	const isOurs = region === REGION && service === 'kms' && names.split(';').includes('host');
	if (expected !== given || !isOurs)
		throw new KmsError('InvalidSignatureException', 'The request signature we calculated does not match');
	return user;
}
