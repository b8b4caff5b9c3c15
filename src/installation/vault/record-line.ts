// The lines of an export of the vault, each a value in JSON: first what it is, then a record a line, at last how many there
// were. docs/vault-export.md describes them.

import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { CARD_TYPES } from '../../base/card/brand.ts';
import { numberProblem } from '../../base/card/read-card.ts';
import { SHAPES } from '../../base/card/shape.ts';
import { holdsCardNumber } from '../../base/card/spelling/spelled-number.ts';
import { MAX_TEXT_CHARACTERS, PROBLEMS } from '../../base/card/verdict.ts';
import { readJson } from '../../base/read-json.ts';
import type { WholeRecord } from '../../vault/cards/record-walk.ts';
import { CVV_DESTINATION_TYPES } from '../../vault/cvvs/destination-types.ts';
import { MAX_TEXT_BYTES, RECORD_KINDS, type RecordFields } from '../../vault/pages/record-codec.ts';
import { looksLikeNumber } from '../../vault/tokens/token.ts';

/** The number of this layout. A reader refuses a higher one. */
export const LAYOUT = 1;

/** Bytes as text, or in base64 where they are not UTF-8, because a token gives back exactly the bytes that came. */
const bytes = z.union([z.string(), z.strictObject({ base64: z.base64() })]);
const time = z.iso.datetime().transform((text) => new Date(text));

const firstLine = z.object({
	vault: z.literal('tokendrop'),
	layout: z.number(),
	environment: z.string(),
	export: z.string().max(64),
	exportedAt: z.string(),
	accounts: z.array(z.string()),
});
export type FirstLine = z.output<typeof firstLine>;

const lastLine = z.strictObject({ end: z.strictObject({ records: z.number() }) });

const recordLine = z.strictObject({
	token: z.string().regex(/^[0-9a-f]{32}$/),
	account: z.string(),
	/** The user of the account who stored the record, where that is not the account itself. */
	user: z.string().optional(),
	kind: z.enum(RECORD_KINDS),
	createdAt: time,
	number: z.string().regex(/^\d*$/).optional(),
	/** Year and month, as in 2029-12. */
	expiry: z
		.string()
		.regex(/^\d{4}-(0[1-9]|1[0-2])$/)
		.optional(),
	type: z.enum(CARD_TYPES as [string, ...string[]]).optional(),
	shape: z.enum(SHAPES).optional(),
	spelling: bytes.optional(),
	name: bytes.optional(),
	issueNumber: bytes.optional(),
	owner: bytes.optional(),
	virtual: bytes.optional(),
	/** What a data block holds. */
	content: bytes.optional(),
	references: z.array(z.string()).optional(),
	merchants: z.array(z.string()).optional(),
	/** True if duplicate elimination finds the card. */
	findable: z.literal(true).optional(),
	/** The policy of a CVV, which itself is in no export. It only tells; `removalAt` is what is kept of it. */
	cvvPolicy: z
		.strictObject({
			endsAt: time,
			usesLeft: z.number(),
			removesCard: z.boolean(),
			destinations: z.array(
				z.strictObject({ type: z.enum(CVV_DESTINATION_TYPES), data: z.string(), quota: z.number(), used: z.number() }),
			),
		})
		.optional(),
	removalAt: time.optional(),
});
export type RecordLine = z.output<typeof recordLine>;

/** What a line is, or why it is none of an export. No problem quotes the line. */
export type Line =
	| { readonly first: FirstLine }
	| { readonly record: RecordLine }
	| { readonly records: number }
	| { readonly problem: string };

export function firstLineOf(told: Omit<FirstLine, 'vault' | 'layout'>): string {
	return JSON.stringify({ vault: 'tokendrop', layout: LAYOUT, ...told } satisfies FirstLine);
}

/** Writes the last line, after so many records. */
export function lastLineOf(records: number): string {
	return JSON.stringify({ end: { records } });
}

/** Writes the line of a record. `nameOf` gives the user ID of an account, or null if the account is gone. */
export function lineOf(whole: WholeRecord, nameOf: (id: WholeRecord['page']['account_id']) => string | null): string {
	const { token, page, record, references, merchantIds, policy, removalAt, isFound } = whole;
	const { kind, expiry, type, shape, spelling } = record;
	const isBlock = kind === 'data-block';
	const user = page.creator_id === page.account_id ? null : nameOf(page.creator_id);
	const merchants = merchantIds.map(nameOf).filter((name) => name !== null);
	return JSON.stringify({
		token,
		account: nameOf(page.account_id),
		...(user !== null && { user }),
		kind,
		createdAt: new Date(page.created_at).toISOString(),
		...(!isBlock && { number: record.digits.toString('latin1') }),
		...(expiry > 0 && { expiry: expiryText(expiry) }),
		...(type > 0 && { type: CARD_TYPES[type] }),
		...(shape !== 'plain' && { shape }),
		...(spelling && { [isBlock ? 'content' : 'spelling']: textOf(spelling) }),
		...(record.name && { name: textOf(record.name) }),
		...(record.issueNumber && { issueNumber: textOf(record.issueNumber) }),
		...(record.owner && { owner: textOf(record.owner) }),
		...(record.virtual && { virtual: textOf(record.virtual) }),
		...(references.length > 0 && { references }),
		...(merchants.length > 0 && { merchants }),
		...(isFound && { findable: true }),
		...(policy && { cvvPolicy: policyText(policy) }),
		...(removalAt && { removalAt: removalAt.toISOString() }),
	});
}

function policyText({ endsAt, usesLeft, deletesCard, destinations }: NonNullable<WholeRecord['policy']>) {
	const rows = destinations.map(({ type, data, quota, used }) => ({ type, data, quota, used }));
	return { endsAt: endsAt.toISOString(), usesLeft, removesCard: deletesCard, destinations: rows };
}

export function expiryText(expiry: number): string {
	return `${String(Math.floor(expiry / 100)).padStart(4, '0')}-${String(expiry % 100).padStart(2, '0')}`;
}

const textOf = (text: Buffer) => (isUtf8(text) ? text.toString() : { base64: text.toString('base64') });

export function readLine(text: string): Line {
	const value = readJson(text);
	if (value === undefined) return { problem: 'it is not JSON' };
	if (typeof value !== 'object' || value === null) return { problem: 'it is no object' };
	if ('vault' in value) return judged(firstLine.safeParse(value), (first) => ({ first }));
	if ('end' in value) return judged(lastLine.safeParse(value), ({ end }) => ({ records: end.records }));
	return judged(recordLine.safeParse(value), (record) => {
		const problem = problemOf(record);
		return problem === undefined ? { record } : { problem };
	});
}

function judged<T>(parsed: z.ZodSafeParseResult<T>, good: (value: T) => Line): Line {
	if (parsed.success) return good(parsed.data);
	const { path, code } = parsed.error.issues[0];
	if (code === 'unrecognized_keys') return { problem: 'it has a member that this version does not know' };
	return { problem: `its member ${path.join('.')} is missing or wrong` };
}

/** Returns what is wrong with a record. An expired card is good, because a vault keeps cards after their end. */
function problemOf(line: RecordLine): string | undefined {
	const { kind, number, content, spelling } = line;
	if (looksLikeNumber(Buffer.from(line.token, 'hex'), 0)) return 'its token has twelve digits in a row';
	const isBlock = kind === 'data-block';
	if (isBlock !== (number === undefined)) return isBlock ? 'a data block has no number' : 'its number is missing';
	if (isBlock ? content === undefined || spelling !== undefined : content !== undefined)
		return `its member ${isBlock ? 'content is missing' : 'content belongs to data blocks'}`;
	if (number !== undefined) {
		const digits = Buffer.from(number, 'latin1');
		const problem = numberProblem(digits, digits.length, false);
		digits.fill(0);
		if (problem !== null) return `number: ${PROBLEMS[problem]}`;
	}
	for (const each of ['spelling', 'name', 'issueNumber', 'owner', 'virtual', 'content'] as const) {
		if ((bytesOf(line[each])?.length ?? 0) > MAX_TEXT_BYTES) return `its member ${each} is too long`;
	}
	for (const each of ['name', 'issueNumber', 'owner'] as const) {
		const text = bytesOf(line[each])?.toString() ?? '';
		if (holdsCardNumber(text)) return `its member ${each} ${PROBLEMS.number}`;
	}
	for (const text of line.references ?? []) {
		if (text.length > MAX_TEXT_CHARACTERS) return `a reference is ${PROBLEMS.long}`;
		if (text.includes('\0')) return `a reference ${PROBLEMS.nul}`;
		if (holdsCardNumber(text)) return `a reference ${PROBLEMS.number}`;
	}
	return undefined;
}

function bytesOf(text: z.output<typeof bytes> | undefined): Buffer | null {
	if (text === undefined) return null;
	return typeof text === 'string' ? Buffer.from(text) : Buffer.from(text.base64, 'base64');
}

export function fieldsOf(line: RecordLine): RecordFields {
	const digits = Buffer.from(line.number ?? '', 'latin1');
	return {
		kind: line.kind,
		shape: line.shape ?? 'plain',
		expiry: line.expiry === undefined ? 0 : Number(line.expiry.replace('-', '')),
		type: line.type === undefined ? 0 : CARD_TYPES.indexOf(line.type as (typeof CARD_TYPES)[number]),
		digits,
		digitCount: digits.length,
		spelling: bytesOf(line.spelling ?? line.content),
		name: bytesOf(line.name),
		issueNumber: bytesOf(line.issueNumber),
		owner: bytesOf(line.owner),
		virtual: bytesOf(line.virtual),
		token: Buffer.from(line.token, 'hex'),
	};
}
