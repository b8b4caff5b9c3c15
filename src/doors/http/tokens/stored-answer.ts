import type { FastifyReply, FastifyRequest } from 'fastify';
import { CARD_TYPES } from '../../../base/card/brand.ts';
import { maskNumber } from '../../../base/card/masking.ts';
import type { RecordRequest } from '../../../vault/cards/new-card.ts';
import type { Token } from '../../../vault/tokens/token.ts';
import type { Shown } from '../calls/content.ts';
import { answer } from '../negotiation/answer.ts';
import { successFormat } from '../negotiation/negotiation.ts';
import { expiryParts } from './card-body.ts';
import { MASKED_BANK_CARD, MASKED_CARD, type MaskedCard, type VirtualInfo } from './schemas.ts';
import { tokenUri } from './token-uri.ts';

const { root: ROOT, example: EXAMPLE } = MASKED_BANK_CARD;

/**
 * Returns, for the OpenAPI document, an example of the answer to a call that stores a card. In XML the root element is
 * named after the only member of the JSON.
 */
export function storedExample(number: string): Shown {
	const masked = { ...EXAMPLE, Number: number };
	return { schema: MASKED_CARD, example: { BankCard: masked }, root: ROOT, xmlExample: masked };
}

export const STORED = storedExample(EXAMPLE.Number);

/** Answers a call that made a token: status 201, `Location`, and the masked card (shapes §2, §3) if it may be shown. */
export function answerStored(
	request: FastifyRequest,
	reply: FastifyReply,
	{ baseUrl, token, masked }: { baseUrl: string; token: Token; masked: MaskedCard | undefined },
) {
	reply.code(201).header('location', tokenUri(baseUrl, token));
	if (masked === undefined) return reply.send();
	// In XML the root element is named after the only member of the JSON.
	const isXml = successFormat(request.headers.accept) === 'xml';
	return answer(request, reply, isXml ? masked : { BankCard: masked }, { root: ROOT });
}

/** Returns the masked form of a card, made from the record that stores the card or will store it. */
export function maskedOf(
	fields: Omit<RecordRequest['fields'], 'digitCount' | 'kind' | 'shape' | 'spelling'> & {
		readonly digitCount?: number;
	},
): MaskedCard {
	const text = (bytes: Uint8Array | null | undefined) => (bytes ? Buffer.from(bytes).toString('utf8') : null);
	const virtual = text(fields.virtual);
	return {
		Type: fields.type === 0 ? null : CARD_TYPES[fields.type],
		Virtual: virtual === null ? null : (JSON.parse(virtual) as VirtualInfo),
		Number: maskNumber(Buffer.from(fields.digits).toString('latin1', 0, fields.digitCount ?? fields.digits.length)),
		NameOnCard: text(fields.name),
		ExpirationDate: fields.expiry > 0 ? expiryParts(fields.expiry) : null,
		IssueNumber: text(fields.issueNumber),
		OwnerID: text(fields.owner),
	};
}
