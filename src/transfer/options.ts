// What an account or a folder may set for its files: a part common to all formats, and the format's own.

import { z } from 'zod';
import { holdsCardNumber } from '../card/spelled-number.ts';
import type { Format } from './format.ts';

const commonOptions = z.strictObject({
	/** What happens to a card that cannot be tokenized: it stays, is masked in place, or the whole file is rejected. */
	onRefused: z.enum(['pass', 'mask', 'reject']).default('pass'),
	/** The same card in this account's earlier files gets the token it already has. */
	eliminateCardDuplication: z.boolean().default(false),
	/** Keep CVVs under the account's retention policy; unset means: if the account has one (shapes §11). */
	saveCVV: z.boolean().optional(),
	/** User ID of a merchant every card of the file is associated with (spec §2.3). */
	merchantId: z.string().min(1).optional(),
	/**
	 * What happens to a card number that stands outside the places of the format: it is told in the report and stays, is
	 * masked in place, is replaced by a token, or the whole file is rejected.
	 */
	otherNumbers: z.enum(['report', 'mask', 'tokenize', 'reject']).default('report'),
	/** Refuses a file that has numbers but no place in which the format expects one. */
	expectCards: z.boolean().default(true),
	report: z
		.strictObject({
			/** One entry for each of the first cards that were refused, or for every card without any limit. */
			cards: z.enum(['exceptions', 'all']).default('exceptions'),
			/** A CSV beside the JSON. */
			csv: z.boolean().default(false),
		})
		.prefault({}),
});

export type CommonOptions = z.output<typeof commonOptions>;

/** Options of one pass, checked. */
export interface TransferOptions {
	readonly common: CommonOptions;
	/** What `Format.scanner` takes. */
	readonly format: unknown;
}

/** Options that do not fit; `problems` names each member and what is wrong with it. */
export class OptionsError extends Error {
	override readonly name = 'OptionsError';
	readonly problems: readonly string[];
	constructor(problems: readonly string[]) {
		super(`options do not fit: ${problems.join('; ')}`);
		this.problems = problems;
	}
}

const COMMON_NAMES = new Set(Object.keys(commonOptions.shape));

/** Splits and checks one options object (the merged settings of account and folder). @throws OptionsError */
export function parseOptions(format: Format, raw: unknown): TransferOptions {
	if (raw !== undefined && (typeof raw !== 'object' || raw === null || Array.isArray(raw))) {
		throw new OptionsError(['options must be an object']);
	}
	refuseNumbers(raw);
	const members = Object.entries(raw ?? {});
	const shared = commonOptions.safeParse(Object.fromEntries(members.filter(([name]) => COMMON_NAMES.has(name))));
	const own = format.options.safeParse(Object.fromEntries(members.filter(([name]) => !COMMON_NAMES.has(name))));
	const problems = [...(shared.error?.issues ?? []), ...(own.error?.issues ?? [])].map(
		(issue) => `${issue.path.join('.') || 'options'}: ${issue.message}`,
	);
	if (problems.length > 0 || !shared.success || !own.success) throw new OptionsError(problems);
	return { common: shared.data, format: own.data };
}

/** Checks options that hold for every format of an account: only the common part may stand there. @throws OptionsError */
export function parseAccountOptions(raw: unknown): CommonOptions {
	refuseNumbers(raw);
	const parsed = commonOptions.safeParse(raw);
	if (!parsed.success) {
		throw new OptionsError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
	}
	return parsed.data;
}

/** Options are kept in clear. A column's name copied from a file that has no header row may be somebody's card. */
function refuseNumbers(raw: unknown): void {
	if (holdsCardNumber(JSON.stringify(raw) ?? '')) throw new OptionsError(['options must not hold card numbers']);
}
