// Declares the options that an account or a folder may set for its files: a part common to all formats, and the
// format's own.

import { z } from 'zod';
import { holdsCardNumber } from '../base/card/spelling/spelled-number.ts';
import { type Fault, textOfFault, type Why, why } from '../base/failures.ts';
import { type MessageOptions, messageOptions } from '../base/openpgp/message-options.ts';
import { faultsOf } from '../base/schema-issues.ts';
import type { Format } from './format.ts';

/**
 * Uploads with names of these forms are left alone unless a folder says otherwise: clients use them for files that are not
 * complete, and for those that accompany another one.
 */
export const DEFAULT_LEFT_ALONE: readonly string[] = [
	...['*.writing', '*.uploading', '*.temp', '*.ok', '*.md5', '*.sha1', '*.sha256', '*.sha512'],
];

const commonOptions = z.strictObject({
	/**
	 * Decides what happens to a card that cannot be tokenized: it stays, it is masked in place, or the whole file is
	 * rejected.
	 */
	onRefused: z.enum(['pass', 'mask', 'reject']).default('pass'),
	/** If true, a card that the account has already stored gets its existing token again. */
	eliminateCardDuplication: z.boolean().default(false),
	/**
	 * Decides whether CVVs are kept under the account's retention policy. If the option is not set, CVVs are kept if the
	 * account has such a policy (shapes §11).
	 */
	saveCVV: z.boolean().optional(),
	/** The user ID of a merchant with whom every card of the file is associated (spec §2.3). */
	merchantId: z.string().min(1).optional(),
	/**
	 * Decides what happens to a card number outside the card fields of the format: it is only reported and stays in the
	 * file, it is masked in place, it is replaced by a token, or the whole file is rejected.
	 */
	otherNumbers: z.enum(['report', 'mask', 'tokenize', 'reject']).default('report'),
	/**
	 * If true, a file is refused if it has no field in which the format expects a card number and card numbers elsewhere
	 * in it would stay in clear.
	 */
	expectCards: z.boolean().default(true),
	/**
	 * Lists the names of uploads over sFTP that stay in the folder as they are, beside partial names; `*` stands for any
	 * characters.
	 */
	leaveAlone: z
		.array(z.string().min(1).max(100))
		.max(50)
		.default([...DEFAULT_LEFT_ALONE]),
	/** Says whether files are decrypted before they are processed, and for whom their outputs are encrypted. */
	pgp: messageOptions.optional(),
	report: z
		.strictObject({
			/**
			 * Decides which cards the report lists: `exceptions` lists the refused ones, up to a limit; `all` lists every
			 * card without a limit.
			 */
			cards: z.enum(['exceptions', 'all']).default('exceptions'),
			/** If true, the report is also written as CSV. */
			csv: z.boolean().default(false),
		})
		.prefault({}),
});

export type CommonOptions = z.output<typeof commonOptions>;

/** Holds the checked options of one pass. */
export interface TransferOptions {
	readonly common: CommonOptions;
	/** The options for `Format.scanner`. */
	readonly format: unknown;
}

/** This error is thrown if the options are not valid; `problems` names each member and what is wrong with it. */
export class OptionsError extends Error {
	override readonly name = 'OptionsError';
	readonly faults: readonly Fault[];
	readonly problems: readonly string[];
	constructor(faults: readonly Fault[]) {
		const problems = faults.map(textOfFault);
		super(`options do not fit: ${problems.join('; ')}`);
		this.faults = faults;
		this.problems = problems;
	}
}

const COMMON_NAMES = new Set(Object.keys(commonOptions.shape));

/**
 * Splits the options of a file into common ones and those of its format, and checks both. `raw` has the settings of the
 * account and of the folder, already merged.
 * @throws OptionsError
 */
export function parseOptions(format: Format, raw: unknown): TransferOptions {
	if (raw !== undefined && (typeof raw !== 'object' || raw === null || Array.isArray(raw))) {
		throw unfit(why('options must be an object', 'type-expected', { type: 'object' }));
	}
	refuseNumbers(raw);
	const members = Object.entries(raw ?? {});
	const shared = commonOptions.safeParse(Object.fromEntries(members.filter(([name]) => COMMON_NAMES.has(name))));
	const own = format.options.safeParse(Object.fromEntries(members.filter(([name]) => !COMMON_NAMES.has(name))));
	if (!shared.success || !own.success) throw new OptionsError([...faultsOf(shared.error), ...faultsOf(own.error)]);
	return { common: shared.data, format: own.data };
}

/**
 * Checks the options that an account sets for its files of all formats. They may only be common options, because each
 * format has different ones of its own.
 * @throws OptionsError
 */
export function parseAccountOptions(raw: unknown): CommonOptions {
	refuseNumbers(raw);
	const parsed = commonOptions.safeParse(raw);
	if (!parsed.success) throw new OptionsError(faultsOf(parsed.error));
	return parsed.data;
}

/**
 * Checks the option `pgp` by itself, because it is needed before the file is read.
 * @throws OptionsError
 */
export function parseMessageOptions(raw: unknown): MessageOptions {
	const parsed = messageOptions.safeParse(raw ?? {});
	if (parsed.success) return parsed.data;
	throw new OptionsError(faultsOf(parsed.error, ['pgp']));
}

/**
 * Refuses options that contain a card number, because options are stored in clear. For example, somebody may name a
 * column by the text in the first row of a file, and if the file has no header row, that text may be a card number.
 */
function refuseNumbers(raw: unknown): void {
	if (!holdsCardNumber(JSON.stringify(raw) ?? '')) return;
	throw unfit(why('options must not hold card numbers', 'like-a-card'));
}

function unfit({ reason: rule, told }: Why): OptionsError {
	return new OptionsError([{ path: '', rule, told }]);
}
