// Runs a daemon that charges a card and never learns the outcome, because the test that started it kills it once the
// provider has been asked.

import process from 'node:process';
import { openAudit } from '../../src/audit/audit.ts';
import type { AccountId } from '../../src/database/ids.ts';
import { openDatabase } from '../../src/database/open.ts';
import { stripeDriver } from '../../src/gateway/drivers/stripe.ts';
import { openGateway } from '../../src/gateway/gateway.ts';
import { openKeyRing } from '../../src/keys/key-ring.ts';
import { localRootKey } from '../../src/keys/providers/local.ts';
import { openLogger } from '../../src/log.ts';
import { Secret } from '../../src/secret.ts';
import type { Token } from '../../src/vault/token.ts';
import { openVault } from '../../src/vault/vault.ts';
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
