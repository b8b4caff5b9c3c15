// How much longer a daemon takes to start if its master key is in a key service.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { type Installation, openInstallation } from '../helpers/daemon.ts';
import { openKmsDouble, REGION } from '../helpers/key-services/kms-server.ts';
import { temporaryFolder } from '../helpers/key-services/providers.ts';
import { makeSoftToken } from '../helpers/key-services/soft-token.ts';
import { openTransitDouble } from '../helpers/key-services/transit-server.ts';
import { patient } from '../helpers/patience.ts';
import { testNeeding } from '../helpers/test-needing.ts';

const STARTS = 3;
const MOST_MORE_MS = patient(2_000);

async function timeStart(installation: Installation): Promise<number> {
	const began = performance.now();
	const daemon = await installation.start();
	const tookMs = performance.now() - began;
	const code = await daemon.stop();
	if (code !== 0) throw new Error(`the daemon ended with ${code}`);
	return tookMs;
}

const middle = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)];

/** Compares starts with the provider and starts with a file, which take turns. */
async function startsAsQuickly(t: ExecutionContext, provider: string, variables: Record<string, string>) {
	const plain = await openInstallation(t);
	const withService = await openInstallation(t, { variables: { TOKENDROP_KEYS_PROVIDER: provider, ...variables } });
	const times = { file: [] as number[], service: [] as number[] };
	for (const each of [plain, withService]) await timeStart(each);
	for (let i = 0; i < STARTS; i++) {
		times.file.push(await timeStart(plain));
		times.service.push(await timeStart(withService));
	}
	const moreMs = middle(times.service) - middle(times.file);
	t.log(`a start takes ${Math.round(moreMs)} ms more than the ${Math.round(middle(times.file))} ms with a file`);
	t.true(moreMs < MOST_MORE_MS);
}

const hsm = testNeeding('SoftHSM (softhsm2) and pkcs11js, which npm ci compiles');

hsm.serial('a start with an HSM takes two seconds more at most', async (t) => {
	const { place, pinFile } = makeSoftToken(t);
	await startsAsQuickly(t, 'pkcs11', {
		TOKENDROP_KEYS_PKCS11_LIBRARY: place.library,
		TOKENDROP_KEYS_PKCS11_TOKEN_LABEL: place.tokenLabel,
		TOKENDROP_KEYS_PKCS11_KEY_LABEL: place.keyLabel,
		TOKENDROP_KEYS_PKCS11_PIN_FILE: pinFile,
	});
});

test.serial('a start with AWS KMS takes two seconds more at most', async (t) => {
	const service = await openKmsDouble(t);
	const credentialsFile = join(temporaryFolder(t), 'credentials');
	const content = '[default]\naws_access_key_id=AKIATEST\naws_secret_access_key=a secret of tests\n';
	writeFileSync(credentialsFile, content, { mode: 0o600 });
	await startsAsQuickly(t, 'aws-kms', {
		TOKENDROP_KEYS_AWS_KMS_KEY_ID: service.makeKey('alias/ours'),
		TOKENDROP_KEYS_AWS_KMS_REGION: REGION,
		TOKENDROP_KEYS_AWS_KMS_ENDPOINT: service.url,
		TOKENDROP_KEYS_AWS_KMS_CREDENTIALS_FILE: credentialsFile,
	});
});

test.serial('a start with Vault takes two seconds more at most', async (t) => {
	const service = await openTransitDouble(t);
	service.makeKey('ours');
	const tokenFile = join(temporaryFolder(t), 'token');
	writeFileSync(tokenFile, 'hvs.test', { mode: 0o600 });
	await startsAsQuickly(t, 'transit', {
		TOKENDROP_KEYS_TRANSIT_URL: service.url,
		TOKENDROP_KEYS_TRANSIT_KEY_NAME: 'ours',
		TOKENDROP_KEYS_TRANSIT_TOKEN_FILE: tokenFile,
	});
});
