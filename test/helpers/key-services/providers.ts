// Opens a root key with each provider, together with what a test can do to it.

import { randomBytes } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixedCredentials, parseCredentials } from '../../../src/base/keys/providers/aws-credentials.ts';
import { openKmsRootKey } from '../../../src/base/keys/providers/aws-kms.ts';
import { createRootKeyFile, openFileRootKey } from '../../../src/base/keys/providers/file.ts';
import { openEnvRootKey } from '../../../src/base/keys/providers/open-root-key.ts';
import { openPkcs11RootKey } from '../../../src/base/keys/providers/pkcs11/pkcs11.ts';
import { openTransitRootKey } from '../../../src/base/keys/providers/transit.ts';
import type { RootKey } from '../../../src/base/keys/root-key.ts';
import type { Need } from '../programs.ts';
import { openKmsDouble, REGION } from './kms-server.ts';
import type { Releasing } from './services.ts';
import { makeSoftToken } from './soft-token.ts';
import { openTransitDouble } from './transit-server.ts';

export interface TestedProvider {
	/** Opens the root key, as a process does that starts. @throws RootKeyError */
	open(): RootKey;
	/** Opens another root key of the same provider. */
	openOther(): RootKey;
	/** Disables the key or takes it from the service; undefined for a provider that has no such thing. */
	disable?(): unknown;
	/** What a person reads when the key is disabled. */
	readonly disabledSays?: RegExp;
	/** Takes the service away, and brings it back. */
	goAway?(): unknown;
	comeBack?(): unknown;
	/** Takes our right to use the key away; what a person then reads. */
	refuseLogin?(): unknown;
	readonly refusedSays?: RegExp;
}

export interface ProviderCase {
	readonly name: 'file' | 'env' | 'pkcs11' | 'aws-kms' | 'transit';
	readonly needs: readonly Need[];
	open(t: Releasing): Promise<TestedProvider>;
}

export function temporaryFolder(t: Releasing): string {
	const folder = mkdtempSync(join(tmpdir(), 'tokendrop-key-service-'));
	t.teardown(() => rmSync(folder, { recursive: true, force: true }));
	return folder;
}

export const SERVICE_CASES: readonly ProviderCase[] = [
	{
		name: 'pkcs11',
		needs: ['SoftHSM (softhsm2) and pkcs11js, which npm ci compiles'],
		async open(t) {
			const token = makeSoftToken(t);
			token.makeKey('another key');
			const { place, pinFile } = token;
			return {
				open: () => openPkcs11RootKey({ ...place, pinFile }),
				openOther: () => openPkcs11RootKey({ ...place, pinFile, keyLabel: 'another key' }),
				disable: () => token.destroyKey(place.keyLabel),
				disabledSays: /has no secret key/,
				goAway: () => token.pullOut(),
				comeBack: () => token.putBack(),
				refuseLogin: () => writeFileSync(pinFile, 'not the PIN\n'),
				refusedSays: /does not take the PIN.*pinFile/,
			};
		},
	},
	{
		name: 'aws-kms',
		needs: [],
		async open(t) {
			const service = await openKmsDouble(t);
			const [keyId, other] = [service.makeKey('alias/ours'), service.makeKey('alias/other')];
			const keys = parseCredentials('AKIATEST:a secret of tests');
			const place = { region: REGION, endpoint: service.url, credentialsFile: null };
			const open = (named: string) => openKmsRootKey({ ...place, keyId: named }, fixedCredentials(keys));
			return {
				open: () => open(keyId),
				openOther: () => open(other),
				disable: () => service.setState(keyId, 'Disabled'),
				disabledSays: /is disabled; enable it \(400 DisabledException/,
				goAway: () => service.goAway(),
				comeBack: () => service.comeBack(),
				refuseLogin: () => void (service.users.get('AKIATEST')!.mayUseKeys = false),
				refusedSays: /login is refused.*policy of the key.*AccessDeniedException/,
			};
		},
	},
	{
		name: 'transit',
		needs: [],
		async open(t) {
			const service = await openTransitDouble(t);
			for (const name of ['ours', 'other']) service.makeKey(name);
			const tokenFile = join(temporaryFolder(t), 'token');
			writeFileSync(tokenFile, 'hvs.test\n', { mode: 0o600 });
			const place = { url: service.url, mount: 'transit', namespace: null, caFile: null };
			const login = { tokenFile, roleId: null, secretIdFile: null };
			return {
				open: () => openTransitRootKey({ ...place, ...login, keyName: 'ours' }),
				openOther: () => openTransitRootKey({ ...place, ...login, keyName: 'other' }),
				disable: () => service.deleteKey('ours'),
				disabledSays: /no such key, or it is deleted.*encryption key not found/,
				goAway: () => service.goAway(),
				comeBack: () => service.comeBack(),
				refuseLogin: () => service.tokens.clear(),
				refusedSays: /login is refused; renew the token.*permission denied/,
			};
		},
	},
];

export const PROVIDER_CASES: readonly ProviderCase[] = [
	{
		name: 'file',
		needs: [],
		async open(t) {
			const path = join(temporaryFolder(t), 'master.key');
			await createRootKeyFile(path);
			await createRootKeyFile(`${path}.other`);
			return {
				open: () => openFileRootKey(path),
				openOther: () => openFileRootKey(`${path}.other`),
				goAway: () => renameSync(path, `${path}.away`),
				comeBack: () => renameSync(`${path}.away`, path),
			};
		},
	},
	{
		name: 'env',
		needs: [],
		async open() {
			const [text, other] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
			return { open: () => openEnvRootKey(text), openOther: () => openEnvRootKey(other) };
		},
	},
	...SERVICE_CASES,
];
