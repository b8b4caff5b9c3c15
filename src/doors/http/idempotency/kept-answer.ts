// Seals an answer that is stored for repeated calls, and sends it again. What is kept of an answer is its status, its
// relevant headers and its body.

import type { FastifyReply } from 'fastify';
import type { KeyId } from '../../../base/database/ids.ts';
import type { KeyRing } from '../../../base/keys/key-ring.ts';
import type { SealedRows } from '../../../base/keys/rows/sealed-rows.ts';
import { openValue, sealValue } from '../../../base/keys/rows/sealed-values.ts';
import type { IdempotencyRow } from './idempotency-store.ts';

const KEPT_HEADERS = /^(?:location|content-type|content-disposition|cache-control|x-service-.*)$/;

interface KeptAnswer {
	readonly status: number;
	readonly headers: Readonly<Record<string, string | string[]>>;
	/** The body of the answer, in base64. */
	readonly body: string;
}

/**
 * Seals an answer and binds it to the account and the key it is kept for.
 * @param alsoKept names headers besides the usual ones, in lower case
 */
export async function sealAnswer(
	keyRing: KeyRing,
	place: Pick<IdempotencyRow, 'account_id' | 'key_hash'>,
	reply: FastifyReply,
	payload: string | Buffer | null | undefined,
	alsoKept?: ReadonlySet<string>,
): Promise<ReturnType<typeof sealValue>> {
	const headers = Object.entries(reply.getHeaders()).filter(([name]) => KEPT_HEADERS.test(name) || alsoKept?.has(name));
	const answer: KeptAnswer = {
		status: reply.statusCode,
		headers: Object.fromEntries(headers.map(([name, value]) => [name, Array.isArray(value) ? value : String(value)])),
		body: Buffer.from(payload ?? '').toString('base64'),
	};
	return sealValue(await keyRing.current('secret'), sealedAnswers, place, answer);
}

export type AnsweredRow = IdempotencyRow & { readonly sealed: Buffer };

export function isAnswered(row: IdempotencyRow): row is AnsweredRow {
	return row.sealed !== null;
}

export async function sendKept(keyRing: KeyRing, row: AnsweredRow, reply: FastifyReply): Promise<FastifyReply> {
	const kept = { ...row, key_id: row.key_id as KeyId };
	const { status, headers, body } = await openValue<KeptAnswer>(keyRing, sealedAnswers, kept);
	reply.code(status).headers(headers);
	const bytes = Buffer.from(body, 'base64');
	return bytes.length === 0 ? reply.send() : reply.send(bytes);
}

/** Names the table and columns of the kept answers, so that they are sealed again when keys change. */
export const sealedAnswers: SealedRows = {
	table: 'idempotency_keys',
	id: ['account_id', 'key_hash'],
	column: 'sealed',
	label: ({ account_id, key_hash }, keyId) => Buffer.from(`tokendrop answer ${account_id}/${key_hash}/${keyId}`),
};
