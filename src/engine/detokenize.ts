// Detokenizes a file: the vault resolves the tokens that a scanner found, and each number is written back exactly as it
// was spelled.

import { countCharacters } from '../base/card/ascii.ts';
import { CARD_TYPES } from '../base/card/brand.ts';
import { lastFour } from '../base/card/masking.ts';
import type { Shape } from '../base/card/shape.ts';
import type { CardReader, Resolved } from '../vault/cards/card-reader.ts';
import type { OpenedCvv } from '../vault/cvvs/cvv.ts';
import { readHex, TOKEN_BYTES, TOKEN_CHARACTERS } from '../vault/tokens/token.ts';
import type { Finding, Findings } from './format.ts';
import type { CommonOptions } from './options.ts';
import { emptySummary, type ReportEntry, type ReportSink } from './report.ts';
import { putCvv, putNumber } from './shapes.ts';
import type { Edits } from './splice.ts';
import type { Pass } from './transfer-file.ts';

/**
 * The texts that the report shows for a token that stays. All tokens that cannot be resolved have the same one, so that they
 * cannot be told apart (spec §7.4).
 */
export const UNRESOLVED = {
	unresolved: 'The token does not exist or this account may not use it',
	'not-a-card': 'The token does not stand for a card',
} as const;

export interface DetokenizeOptions {
	readonly common: CommonOptions;
	readonly reader: Pick<CardReader, 'resolve' | 'wipe'>;
	/**
	 * Gives access to the kept CVVs: `useForFile` returns the CVV of a card and counts the use. Absent if the account
	 * keeps no CVVs.
	 */
	readonly cvvs?: { useForFile(card: Resolved): Promise<OpenedCvv | undefined> };
	readonly report: ReportSink;
	/**
	 * This function is called for every CVV that is put into the file, with the time after which that CVV may no longer
	 * be kept.
	 */
	onCvv?(endsAtMs: number): void;
}

export class DetokenizePass implements Pass {
	readonly summary = emptySummary();
	readonly #options: DetokenizeOptions;
	#tokens = Buffer.allocUnsafeSlow(4096 * TOKEN_BYTES);
	readonly #withToken: Finding[] = [];

	constructor(options: DetokenizeOptions) {
		this.#options = options;
	}

	async exchange(bytes: Buffer, findings: Findings, base: number, edits: Edits): Promise<void> {
		const { summary } = this;
		const withToken = this.#withToken;
		const options = this.#options;
		withToken.length = 0;
		for (let i = 0; i < findings.length; i++) {
			const finding = findings.items[i];
			if (finding.record > summary.records) summary.records = finding.record;
			if (finding.numberEnd - finding.numberStart === TOKEN_CHARACTERS) this.#collect(bytes, finding);
		}
		if (withToken.length === 0) return;
		const resolved = await options.reader.resolve(this.#tokens.subarray(0, withToken.length * TOKEN_BYTES));
		for (let i = 0; i < withToken.length; i++) {
			if (resolved[i] === undefined && isShadowed(withToken, resolved, i)) continue;
			const pending = this.#restore(bytes, withToken[i], resolved[i], base, edits);
			if (pending !== undefined) await pending;
		}
	}

	async finish(): Promise<void> {}

	async settle(): Promise<void> {}

	wipe(): void {
		this.#options.reader.wipe();
	}

	/**
	 * Collects a finding for the look-up in the vault if its 32 characters are hexadecimal and may therefore be a token.
	 */
	#collect(bytes: Buffer, finding: Finding): void {
		const at = this.#withToken.length * TOKEN_BYTES;
		if (at === this.#tokens.length) {
			const larger = Buffer.allocUnsafeSlow(this.#tokens.length * 2);
			larger.set(this.#tokens);
			this.#tokens = larger;
		}
		if (readHex(bytes, finding.numberStart, this.#tokens, at)) this.#withToken.push(finding);
	}

	/**
	 * Puts one number back into the file. It returns a promise only if it has to wait. Awaiting a promise for each of a
	 * million numbers would take as long as replacing them.
	 */
	#restore(
		bytes: Buffer,
		finding: Finding,
		resolved: Resolved | undefined,
		base: number,
		edits: Edits,
	): Promise<void> | undefined {
		const { summary } = this;
		const options = this.#options;
		// Outside the card fields of the layout, only tokens that `otherNumbers: tokenize` has written are replaced.
		if (finding.isOther && !isOtherShape(resolved?.record.shape)) return undefined;
		if (resolved?.record.kind !== 'card') {
			summary.unresolved++;
			return this.#tell(finding, base, {
				outcome: 'unresolved',
				reason: UNRESOLVED[resolved ? 'not-a-card' : 'unresolved'],
			});
		}
		const { record } = resolved;
		putNumber(edits, finding, bytes, record.shape, record.presentation);
		summary.cards++;
		if (options.cvvs && hasStars(bytes, finding)) return this.#restoreCvv(bytes, finding, resolved, base, edits);
		return options.common.report.cards === 'all' ? this.#tellRestored(finding, resolved, base) : undefined;
	}

	async #restoreCvv(bytes: Buffer, finding: Finding, resolved: Resolved, base: number, edits: Edits): Promise<void> {
		const cvv = await this.#options.cvvs?.useForFile(resolved);
		if (cvv && countCharacters(cvv.spelling.text) === finding.cvvEnd - finding.cvvStart) {
			putCvv(edits, finding, bytes, cvv.spelling);
			this.#options.onCvv?.(cvv.endsAtMs);
		}
		cvv?.wipe();
		if (this.#options.common.report.cards === 'all') await this.#tellRestored(finding, resolved, base);
	}

	#tellRestored(finding: Finding, { record }: Resolved, base: number): Promise<void> | undefined {
		const digits = record.digits;
		return this.#tell(finding, base, {
			outcome: 'detokenized',
			...(record.type !== 0 && { cardType: CARD_TYPES[record.type] }),
			lastFour: lastFour(digits, digits.length),
		});
	}

	#tell(
		finding: Finding,
		base: number,
		what: Omit<ReportEntry, 'record' | 'line' | 'offset'>,
	): Promise<void> | undefined {
		const { record, line, numberStart, isOther } = finding;
		const { cards, unresolved } = this.summary;
		const place = { ...(!isOther && { record }), line, offset: base + numberStart };
		return this.#options.report.entry({ ...place, ...what }, cards + unresolved);
	}
}

/**
 * Of two findings that overlap, both with 32 hexadecimal digits, at most one can be a token. Returns whether this
 * finding, which leads to no card, overlaps one that leads to a card. If so it is no token, and the report does not
 * list it as an unresolved one.
 */
function isShadowed(tokens: readonly Finding[], resolved: readonly (Resolved | undefined)[], index: number): boolean {
	const { numberStart, numberEnd } = tokens[index];
	for (const step of [-1, 1]) {
		for (let i = index + step; i >= 0 && i < tokens.length; i += step) {
			if (tokens[i].numberStart >= numberEnd || tokens[i].numberEnd <= numberStart) break;
			if (resolved[i] !== undefined) return true;
		}
	}
	return false;
}

function isOtherShape(shape: Shape | undefined): boolean {
	return shape === 'other' || shape === 'otherQuoted';
}

function hasStars(bytes: Buffer, { cvvStart, cvvEnd }: Finding): boolean {
	return cvvEnd > cvvStart && bytes[cvvStart] === 0x2a;
}
