// Runs a daemon that charges a card and never learns the outcome, because the test that started it kills it once the
// provider has been asked.

import process from 'node:process';
import type { AccountId } from '../../src/base/database/ids.ts';
import { openDatabase } from '../../src/base/database/open.ts';
import { openKeyRing } from '../../src/base/keys/key-ring.ts';
import { localRootKey } from '../../src/base/keys/providers/local.ts';
import { openLogger } from '../../src/base/log/log.ts';
import { Secret } from '../../src/base/settings/secret.ts';
import { openAudit } from '../../src/trail/audit.ts';
import type { Token } from '../../src/vault/tokens/token.ts';
import { openVault } from '../../src/vault/vault.ts';
import { stripeDriver } from '../../src/work/payments/gateway/drivers/stripe.ts';
import { openGateway } from '../../src/work/payments/gateway/gateway.ts';
import { order } from './servers/gateways.ts';

export interface CrashSetup {
	readonly databaseUrl: string;
	/** The root key in hexadecimal. */
	readonly rootKey: string;
	readonly stripeBaseUrl: string;
	readonly secretKey: string;
	readonly accountId: number;
	readonly token: string;
}

async function main(setup: CrashSetup): Promise<void> {
	const database = await openDatabase({ url: setup.databaseUrl });
	const root = localRootKey(Buffer.from(setup.rootKey, 'hex'), 'test');
	const keyRing = await openKeyRing({ database, root, environment: 'sandbox' });
	const audit = await openAudit({ database, keyRing });
	const vault = await openVault({ database, keyRing });
	const driver = stripeDriver(setup.stripeBaseUrl);
	const clock = { now: () => new Date() };
	const gateway = openGateway({
		...{ database, keyRing, vault, audit, clock, drivers: [driver], logger: openLogger({ level: 'silent' }) },
	});
	const ownerId = setup.accountId as AccountId;
	const token = setup.token as Token;
	await gateway.operate({
		...{
			caller: { ownerId, accountId: ownerId, userId: 'agency' },
			driver,
			order: order('Charge'),
			card: undefined,
			callerKey: undefined,
		},
		...{ credentialsId: undefined, credentials: { SecretKey: new Secret(setup.secretKey) } },
		stored: { token, found: (await vault.find(ownerId, token))! },
	});
	throw new Error('internal error: nobody killed it');
}

if (process.argv[1]?.endsWith('crash-child.ts')) await main(JSON.parse(process.argv[2]));
