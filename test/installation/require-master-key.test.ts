import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import test from 'ava';
import { openKeyRing } from '../../src/base/keys/key-ring.ts';
import { openRootKey } from '../../src/base/keys/providers/open-root-key.ts';
import { RootKeyError } from '../../src/base/keys/root-key.ts';
import { loadSettings } from '../../src/base/settings/settings.ts';
import { requireMasterKey } from '../../src/installation/opening/require-master-key.ts';
import { openTestDatabase } from '../helpers/database.ts';
import { openKmsDouble, REGION } from '../helpers/key-services/kms-server.ts';
import { temporaryFolder } from '../helpers/key-services/providers.ts';
import { makeSoftToken } from '../helpers/key-services/soft-token.ts';
import { openTransitDouble } from '../helpers/key-services/transit-server.ts';
import { testNeeding } from '../helpers/test-needing.ts';

/** Makes an installation with a key service, and checks which proofs are taken and which are not. */
async function provesBy(
	t: ExecutionContext,
	variables: Record<string, string>,
	right: string,
	wrong: readonly string[],
) {
	const settings = loadSettings({ env: variables });
	const database = await openTestDatabase(t, 'sqlite');
	const root = openRootKey(settings);
	t.teardown(() => root.close());
	await openKeyRing({ database, root, environment: 'sandbox' });
	await t.notThrowsAsync(requireMasterKey(database, settings, `${right}\n`));
	for (const proof of wrong) {
		const error = await t.throwsAsync(requireMasterKey(database, settings, proof), { instanceOf: RootKeyError });
		if (proof.length > 3) t.false(error!.message.includes(proof));
	}
}

test('a token that opens the key in Vault proves the right to recover', async (t) => {
	const service = await openTransitDouble(t);
	service.makeKey('ours');
	service.tokens.set('hvs.person', { seconds: 60, policy: 'wraps' });
	service.tokens.set('hvs.nobody', { seconds: 60, policy: 'default' });
	const tokenFile = join(temporaryFolder(t), 'token');
	writeFileSync(tokenFile, 'hvs.test', { mode: 0o600 });
	const variables = {
		TOKENDROP_KEYS_PROVIDER: 'transit',
		TOKENDROP_KEYS_TRANSIT_URL: service.url,
		TOKENDROP_KEYS_TRANSIT_KEY_NAME: 'ours',
		TOKENDROP_KEYS_TRANSIT_TOKEN_FILE: tokenFile,
	};
	await provesBy(t, variables, 'hvs.person', ['hvs.nobody', 'hvs.unknown', '']);
});

test('credentials of AWS that open the key prove the right to recover', async (t) => {
	const service = await openKmsDouble(t);
	service.users.set('AKIAPERSON', { secret: 'of a person', mayUseKeys: true });
	service.users.set('AKIANOBODY', { secret: 'of nobody', mayUseKeys: false });
	const credentialsFile = join(temporaryFolder(t), 'credentials');
	const content = '[default]\naws_access_key_id=AKIATEST\naws_secret_access_key=a secret of tests\n';
	writeFileSync(credentialsFile, content, { mode: 0o600 });
	const variables = {
		TOKENDROP_KEYS_PROVIDER: 'aws-kms',
		TOKENDROP_KEYS_AWS_KMS_KEY_ID: service.makeKey('alias/ours'),
		TOKENDROP_KEYS_AWS_KMS_REGION: REGION,
		TOKENDROP_KEYS_AWS_KMS_ENDPOINT: service.url,
		TOKENDROP_KEYS_AWS_KMS_CREDENTIALS_FILE: credentialsFile,
	};
	await provesBy(t, variables, 'AKIAPERSON:of a person', ['AKIANOBODY:of nobody', 'AKIAPERSON:of nobody', 'nonsense']);
});

testNeeding('SoftHSM (softhsm2) and pkcs11js, which npm ci compiles')(
	'the PIN of the token proves the right to recover',
	async (t) => {
		const { place, pin, pinFile } = makeSoftToken(t);
		const variables = {
			TOKENDROP_KEYS_PROVIDER: 'pkcs11',
			TOKENDROP_KEYS_PKCS11_LIBRARY: place.library,
			TOKENDROP_KEYS_PKCS11_TOKEN_LABEL: place.tokenLabel,
			TOKENDROP_KEYS_PKCS11_KEY_LABEL: place.keyLabel,
			TOKENDROP_KEYS_PKCS11_PIN_FILE: pinFile,
		};
		await provesBy(t, variables, pin, ['9999']);
	},
);
