// Manages the certificate with which callers encrypt access tokens (spec §5.3). A new certificate is offered well
// before the old one ends, and tokens created with the old one are accepted until it ends.

import { createPrivateKey, type KeyObject, type webcrypto } from 'node:crypto';
import type { Clock } from '../../../base/clock.ts';
import { transact } from '../../../base/database/dialect.ts';
import type { Database } from '../../../base/database/open.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import type { SealedRows } from '../../../base/keys/rows/sealed-rows.ts';
import { seal, unseal } from '../../../base/keys/seal.ts';
import type { Audit } from '../../../trail/audit.ts';
import { type CertificateRow, certificateStore } from './certificate-store.ts';

const DAY_MS = 24 * 60 * 60_000;
const LIFETIME_MS = 730 * DAY_MS;
/** The next certificate is created this long before the present one ends. */
const RENEW_BEFORE_MS = 90 * DAY_MS;
/** A renewal that failed is tried again after this time, because making keys takes a while and every caller waits for it. */
const RETRY_MS = 60_000;
/** The certificate's validity begins a day earlier, for callers whose clock is slow. */
const BACKDATED_MS = DAY_MS;

export type Certificates = ReturnType<typeof openCertificates>;

export function openCertificates(options: {
	database: Database;
	keyRing: KeyRing;
	audit: Audit;
	clock: Clock;
	environment: 'sandbox' | 'production';
	/** Returns the key pair for a new certificate. Without this function, a key pair is generated. */
	certificateKeys?: () => Promise<webcrypto.CryptoKeyPair>;
	/** Called when no certificate could be created although the present one ends at `endsAt`. It still works until then. */
	onRenewalFailed?: (error: unknown, endsAt: Date) => void;
}) {
	const { database, keyRing, audit, clock, environment, certificateKeys, onRenewalFailed } = options;
	const store = certificateStore(database.knex);
	const opened = new Map<number, KeyObject>();
	let making: Promise<void> | undefined;
	let retryAtMs = 0;

	const open = async (row: CertificateRow): Promise<KeyObject> => {
		const known = opened.get(row.generation);
		if (known) return known;
		const { secret } = await keyRing.byId(row.key_id);
		const pkcs8 = unseal(secret, row.sealed_private_key, associated(row.generation));
		const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' });
		pkcs8.fill(0);
		opened.set(row.generation, key);
		return key;
	};

	const make = async () => {
		const now = clock.now().getTime();
		const generation = (await store.findLastGeneration()) + 1;
		// The module is loaded only now, because its library takes a tenth of the time of a start, and a certificate is
		// created only every other year.
		const { makeSelfSigned } = await import('./self-signed.ts');
		const { certificate, privateKey } = await makeSelfSigned({
			commonName: `Tokendrop ${environment}`,
			notBefore: new Date(now - BACKDATED_MS),
			notAfter: new Date(now + LIFETIME_MS),
			keys: await certificateKeys?.(),
		});
		const sealing = await keyRing.current('secret');
		const pkcs8 = privateKey.export({ format: 'der', type: 'pkcs8' });
		const sealed_private_key = seal(sealing.secret, pkcs8, associated(generation));
		pkcs8.fill(0);
		const times = { created_at: now, ends_at: now + LIFETIME_MS };
		const row = { generation, certificate, key_id: sealing.id, sealed_private_key, ...times };
		const entry = { actor: 'daemon', action: 'certificate.create', subject: `certificate ${generation}` };
		await transact(database, async (transaction) => {
			if (await certificateStore(transaction).insert(row)) await audit.record(entry, transaction);
		});
	};

	/** Returns the usable certificates, after creating one if necessary; concurrent calls share the work. */
	const usable = async (): Promise<CertificateRow[]> => {
		const now = clock.now().getTime();
		const rows = await store.listUsable(now);
		if (rows.length > 0 && (rows[0].ends_at - now > RENEW_BEFORE_MS || now < retryAtMs)) return rows;
		making ??= make().finally(() => (making = undefined));
		try {
			await making;
		} catch (error) {
			if (rows.length === 0) throw error;
			// The present certificate still works. Of all callers who waited for the new one, the first tells of the failure.
			if (now >= retryAtMs) onRenewalFailed?.(error, new Date(rows[0].ends_at));
			retryAtMs = now + RETRY_MS;
		}
		return store.listUsable(now);
	};

	return {
		/** Returns the certificate for callers, in DER, and creates or renews it when necessary. */
		async current(): Promise<{ certificate: Buffer }> {
			const [newest] = await usable();
			return { certificate: newest.certificate };
		},
		/** Returns the private keys that may decrypt an access token now, newest first. There is at least one. */
		async privateKeys(): Promise<readonly KeyObject[]> {
			return Promise.all((await usable()).map(open));
		},
	};
}

/** Names the table and columns of the private keys of certificates. */
export const sealedCertificateKeys: SealedRows = {
	table: 'service_certificates',
	id: ['generation'],
	column: 'sealed_private_key',
	label: ({ generation }) => associated(generation),
};

function associated(generation: number): Buffer {
	return Buffer.from(`tokendrop service certificate ${generation}`);
}
