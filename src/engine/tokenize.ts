// Tokenizes a file: judges the cards that a scanner found, stores the accepted ones, writes tokens in their place.

import { CARD_TYPES } from '../base/card/brand.ts';
import { PART } from '../base/card/card-parts.ts';
import { lastFour } from '../base/card/masking.ts';
import type { CardReading } from '../base/card/read-card.ts';
import { MAX_CARD_DIGITS, REFUSALS, type Refusal, WARNING_BITS, WARNING_TEXTS } from '../base/card/verdict.ts';
import { lineAt } from '../base/text/line-ends.ts';
import type { Duplicates } from '../vault/cards/duplicates.ts';
import { readHex, TOKEN_BYTES } from '../vault/tokens/token.ts';
import type { CardStore } from '../vault/tokens/trial-store.ts';
import { CardFields } from './card-fields.ts';
import { Finding, type Findings, type Format, type LackingField, type Scanner } from './format.ts';
import type { CommonOptions } from './options.ts';
import { OtherNumbersPass } from './others/other-pass.ts';
import { RoundedNumbers } from './others/rounded-numbers.ts';
import { Rejections } from './rejections.ts';
import { emptySummary, type ReportEntry, type ReportSink } from './report.ts';
import { putMask, putStars, putToken } from './shapes.ts';
import type { Edits } from './splice.ts';
import type { Pass } from './transfer-file.ts';

export interface TokenizeOptions {
	readonly format: Format;
	readonly common: CommonOptions;
	/** True if CVVs are kept: the caller wants it, and the account allows it (spec §2.4). */
	readonly keepsCvv: boolean;
	readonly store: CardStore;
	readonly report: ReportSink;
	readonly now: Date;
	/** True for a stream that eliminates duplicates: the cards of a window must be durable before its output is sent. */
	readonly settlesWindows?: boolean;
}

/** If a layout lacks one of these fields, the file gets the notice once, in place of the warning `bit` of each card. */
const LACKING: Record<LackingField, { readonly bit: number; readonly notice: string }> = {
	cardType: { bit: WARNING_BITS['type-missing'], notice: 'The file has no column for the card type' },
	expiry: { bit: WARNING_BITS['expiry-missing'], notice: 'The file has no column for the expiration date' },
};

/** Follows the number of cards of a file that were not looked up as duplicates. */
const LEFT_OUT =
	'cards got new tokens without a look for earlier ones: too many different numbers with the same first six and last four digits came today';

export class TokenizePass implements Pass {
	readonly summary = emptySummary();
	readonly rejections = new Rejections();
	readonly #options: TokenizeOptions;
	readonly #fields: CardFields;
	/** What was read of the current finding. */
	readonly #card: CardReading;
	readonly #others: OtherNumbersPass;
	readonly #cvvs: CvvPass;
	readonly #rounded = new RoundedNumbers();
	readonly #token = Buffer.alloc(TOKEN_BYTES);
	readonly #reportsAll: boolean;
	/** The bits of the warnings that no card gets, because the layout lacks the field and the file gets a notice instead. */
	#lacking = 0;
	#leftOut = 0;
	#isReportBehind: Promise<void> | undefined;

	constructor(options: TokenizeOptions) {
		this.#options = options;
		this.#fields = new CardFields(options.format, options.now);
		this.#card = this.#fields.reading;
		this.#others = new OtherNumbersPass(options.common, this.rejections);
		this.#cvvs = new CvvPass(this.#card, options);
		this.#reportsAll = options.common.report.cards === 'all';
	}

	async exchange(bytes: Buffer, findings: Findings, base: number, edits: Edits): Promise<void> {
		const { store } = this.#options;
		if (findings.length === 0) return;
		await store.reserve(findings.length);
		const exchangeAll = () => this.#exchangeAll(bytes, findings, base, edits);
		await (this.#options.settlesWindows ? store.settleInTurn(exchangeAll) : exchangeAll());
		await store.drain();
	}

	async #exchangeAll(bytes: Buffer, findings: Findings, base: number, edits: Edits): Promise<void> {
		const { duplicates } = this.#options.store;
		if (duplicates && this.rejections.count === 0) {
			for (let i = 0; i < findings.length; i++) this.#note(duplicates, bytes, findings.items[i]);
			this.#leftOut += await duplicates.lookUp();
		}
		this.#lacking = 0;
		for (const field of findings.lacking) this.#lacking |= LACKING[field].bit;
		for (let i = 0; i < findings.length; i++) {
			this.#exchangeOne(bytes, findings.items[i], base, edits);
			if (this.#isReportBehind) {
				await this.#isReportBehind;
				this.#isReportBehind = undefined;
			}
		}
		if (this.summary.cards > 0) for (const field of findings.lacking) findings.notice(LACKING[field].notice);
	}

	judgeFile(scanner: Scanner): void {
		const notices = [...this.#others.judgeFile(scanner, this.summary), ...this.#cvvs.notices()];
		if (this.#leftOut > 0) notices.push(`${this.#leftOut} ${LEFT_OUT}`);
		this.summary.notices = [...notices, ...this.#rounded.notices()];
	}

	async finish(): Promise<void> {
		this.rejections.throwIfAny();
		await this.#options.store.flush();
	}

	async settle(): Promise<void> {
		await this.#options.store.settle();
	}

	wipe(): void {
		this.#fields.wipe();
		this.#options.store.wipe();
	}

	/** Notes the record that would be stored for a finding, if any, for the look-up of duplicates. */
	#note(duplicates: Duplicates, bytes: Buffer, finding: Finding): void {
		if (finding.isMasked || (finding.isOther && (finding.isCode || !this.#others.isTokenized(finding)))) return;
		if (this.#fields.read(bytes, finding) === 'accepted') duplicates.note(this.#fields.record(bytes, finding));
	}

	#exchangeOne(bytes: Buffer, finding: Finding, base: number, edits: Edits): void {
		const { summary } = this;
		if (finding.isOther) {
			// A value that was masked or replaced covers the numbers in its comments.
			if (edits.cover(finding.numberStart)) return;
			this.#exchangeOther(bytes, finding, base, edits);
			return;
		}
		if (finding.record > summary.records) summary.records = finding.record;
		const card = this.#card;
		const outcome = this.#fields.read(bytes, finding);
		if (outcome === 'none' || finding.isMasked) {
			if (finding.isMasked || card.number.kind === 'masked') summary.masked++;
			else if (card.number.kind === 'token') this.#countToken();
			this.#tellLoneCvv(bytes, finding, base, edits);
			return;
		}
		if (!this.#options.format.hasNumberedLists) this.#rounded.take(card.number, card.refusal === 'luhn');
		if (outcome === 'refused') {
			this.#refuse(bytes, finding, base, edits, card.refusal!);
			return;
		}
		// Nothing of a rejected file is stored. The rest of it is read only to find its other faults.
		if (this.rejections.count > 0) return;
		this.#swap(bytes, finding, edits);
		summary.cards++;
		const warnings = card.warnings & ~this.#lacking;
		if (warnings !== 0) summary.warned++;
		if (this.#reportsAll) {
			const texts = WARNING_TEXTS[warnings];
			this.#tell(finding, base, { outcome: 'tokenized', ...(warnings !== 0 && { warnings: texts }) });
		} else if (warnings !== 0) {
			const card = summary.cards + summary.refused;
			this.#options.report.warned?.(WARNING_TEXTS[warnings], finding, base + finding.numberStart, card);
		}
	}

	/** Reports a security code that belongs to no card that can be tokenized. */
	#tellLoneCvv(bytes: Buffer, finding: Finding, base: number, edits: Edits): void {
		const code = this.#cvvs.findLone(bytes, finding);
		if (code) this.#exchangeOther(bytes, code, base, edits);
	}

	/** Handles a number or security code outside the card fields of the layout. Nothing but its digits is known. */
	#exchangeOther(bytes: Buffer, finding: Finding, base: number, edits: Edits): void {
		const others = this.#others;
		if (finding.isCode) {
			if (others.takeCode(finding, base, this.summary) === 'mask') {
				const { numberStart: cvvStart, numberEnd: cvvEnd, shape } = finding;
				putStars(edits, { cvvStart, cvvEnd, isCvvBare: shape === 'otherQuoted' }, bytes);
			}
			this.#enter(others.codeEntry(finding, base));
			return;
		}
		this.#fields.read(bytes, finding);
		const treatment = others.take(finding, base, this.summary);
		// Nothing of a rejected file is stored.
		if (treatment === 'tokenize' && this.rejections.count === 0) {
			this.#swap(bytes, finding, edits);
			this.summary.cards++;
		} else if (treatment === 'mask') putMask(edits, finding, bytes, this.#card.number);
		this.#enter(others.entry(finding, base, treatment, this.#card.number));
	}

	#swap(bytes: Buffer, finding: Finding, edits: Edits): void {
		const { store, format } = this.#options;
		const placement = store.place(this.#fields.record(bytes, finding), store.duplicates?.take());
		putToken(edits, finding, placement.tokens, placement.offset, format.tokenCase, bytes);
		if (placement.isNew) {
			const reference = this.#card.text(PART.reference)?.toString().trim();
			if (reference) store.addReference(placement, reference);
		}
		this.#cvvs.take(bytes, finding, placement, edits);
	}

	#refuse(bytes: Buffer, finding: Finding, base: number, edits: Edits, refusal: Refusal): void {
		this.summary.refused++;
		const { onRefused } = this.#options.common;
		if (onRefused === 'reject') {
			const { line, record, numberStart } = finding;
			this.rejections.addCard(REFUSALS[refusal], { offset: base + numberStart, line, record });
		}
		if (onRefused === 'mask') {
			putMask(edits, finding, bytes, this.#card.number);
			// A malformed CVV is starred too, because it may be a real one with an extra digit.
			if (this.#card.cvv !== 'absent') putStars(edits, finding, bytes);
		}
		this.#tell(finding, base, { outcome: 'refused', reason: REFUSALS[refusal] });
		if (finding.isCvvShared && onRefused !== 'mask') this.#tellLoneCvv(bytes, finding, base, edits);
	}

	/** Counts a value of 32 hexadecimal characters that may be a token; asks no database. */
	#countToken(): void {
		readHex(this.#card.parts.of(PART.number), 0, this.#token, 0);
		const { tokens } = this.#options.store;
		if (tokens.mayBeOurs(this.#token) || tokens.mayBeForeign(this.#token)) this.summary.preexistingTokens++;
	}

	#tell(finding: Finding, base: number, what: Pick<ReportEntry, 'outcome' | 'reason' | 'warnings'>): void {
		const { number, brand } = this.#card;
		const last = lastFour(number.digits, number.count);
		// `count` is not exact for a number that is too long, but the report shows no digit of such a number.
		const isShown = !number.hasOtherCharacters && last !== '' && number.count >= 12 && number.count <= MAX_CARD_DIGITS;
		const entry = {
			record: finding.record,
			line: finding.line,
			offset: base + finding.numberStart,
			...what,
			...(brand !== 0 && what.outcome === 'tokenized' && { cardType: CARD_TYPES[brand] }),
			...(isShown && { lastFour: last }),
		};
		this.#enter(entry);
	}

	#enter(entry: ReportEntry): void {
		const taken = this.#options.report.entry(entry, this.summary.cards + this.summary.refused);
		if (taken) this.#isReportBehind = taken;
	}
}

const SHORT_CVVS =
	'Security codes of one or two digits, which have lost their leading zeros and were replaced by stars (store the column as text, not as numbers)';

/** Makes the CVVs of accepted cards stars, which may be kept, and tells those that belong to no card. */
class CvvPass {
	readonly #card: CardReading;
	readonly #store: CardStore;
	readonly #keepsCvv: boolean;
	/** The number of CVVs that were starred although their leading zeros are lost. */
	#short = 0;

	constructor(card: CardReading, { store, keepsCvv }: { readonly store: CardStore; readonly keepsCvv: boolean }) {
		this.#card = card;
		this.#store = store;
		this.#keepsCvv = keepsCvv;
	}

	/** Writes stars over the CVV of the card that was just read and accepted. It is kept if CVVs are and the card is new. */
	take(bytes: Buffer, finding: Finding, placement: ReturnType<CardStore['place']>, edits: Edits): void {
		const { cvv } = this.#card;
		if (cvv !== 'readable' && cvv !== 'short') return;
		if (cvv === 'short') this.#short++;
		if (this.#keepsCvv && placement.isNew) {
			const code = this.#card.code()!;
			const { isCvvBare: isBare, cvvStart, cvvEnd } = finding;
			this.#store.addCvv(placement, code, { isBare, text: bytes.subarray(cvvStart, cvvEnd) });
			if (cvv === 'short') code.fill(0);
		}
		putStars(edits, finding, bytes);
	}

	/** Returns the CVV of the finding that was just read as a finding of its own, for a number that is not swapped. */
	findLone(bytes: Buffer, finding: Finding): Finding | undefined {
		const { cvv } = this.#card;
		if (cvv !== 'readable' && cvv !== 'short') return undefined;
		const code = new Finding();
		code.isOther = true;
		code.isCode = true;
		code.line = lineAt(bytes, finding.line, finding.numberStart, finding.cvvStart);
		code.numberStart = finding.cvvStart;
		code.numberEnd = finding.cvvEnd;
		code.shape = finding.isCvvBare ? 'otherQuoted' : 'other';
		return code;
	}

	notices(): string[] {
		return this.#short > 0 ? [`${SHORT_CVVS}: ${this.#short}`] : [];
	}
}
