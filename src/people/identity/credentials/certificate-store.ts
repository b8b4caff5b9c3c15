import type { Knex } from 'knex';
import { insertNew } from '../../../base/database/dialect.ts';
import type { KeyId } from '../../../base/database/ids.ts';

export interface CertificateRow {
	readonly generation: number;
	/** The certificate in DER form. */
	readonly certificate: Buffer;
	readonly key_id: KeyId;
	readonly sealed_private_key: Buffer;
	readonly created_at: number;
	readonly ends_at: number;
}

export function certificateStore(knex: Knex) {
	return {
		async listUsable(now: number): Promise<CertificateRow[]> {
			return knex<CertificateRow>('service_certificates').where('ends_at', '>', now).orderBy('generation', 'desc');
		},
		async findNewestEnd(): Promise<number | undefined> {
			const row = await knex<CertificateRow>('service_certificates').orderBy('generation', 'desc').first('ends_at');
			return row?.ends_at;
		},
		async findLastGeneration(): Promise<number> {
			const found = await knex<CertificateRow>('service_certificates').max({ generation: 'generation' }).first();
			return found?.generation ?? 0;
		},
		/** Stores a certificate, unless another daemon has stored that generation; returns whether it did. */
		async insert(row: CertificateRow): Promise<boolean> {
			return insertNew(knex('service_certificates'), row, 'generation');
		},
	};
}
