// Tokenizes a file: judges the cards that a scanner found, stores the accepted ones, writes tokens in their place.

import { CARD_TYPES } from '../card/brand.ts';
import { readCvv } from '../card/cvv.ts';
import { type Expiry, monthOf } from '../card/expiry.ts';
import { lastFour } from '../card/masking.ts';
import { NumberReading } from '../card/number.ts';
import {
	judge,
	MAX_CARD_DIGITS,
	REFUSALS,
	type Refusal,
	type Verdict,
	WARNING_BITS,
	WARNINGS,
	warningsOf,
} from '../card/verdict.ts';
import type { Duplicates } from '../vault/duplicates.ts';
import { readHex, TOKEN_BYTES } from '../vault/token.ts';
import type { CardStore } from '../vault/trial-store.ts';
import { CardFields } from './card-fields.ts';
import { Finding, type Findings, type Format, type LackingField, type Scanner } from './format.ts';
import type { CommonOptions } from './options.ts';
import { OtherNumbersPass } from './other-pass.ts';
import type { Pass } from './pass.ts';
import { findReference } from './reference.ts';
import { Rejections } from './rejections.ts';
import { emptySummary, type ReportEntry, type ReportSink } from './report.ts';
import { putMask, putOtherMask, putStars, putToken } from './shapes.ts';
import type { Edits } from './splice.ts';
import { namesType, TypeMemo } from './type-memo.ts';

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

/** Holds the list of texts for every set of warning bits, so that no card needs a new list. */
const WARNING_TEXTS = Array.from({ length: 2 ** Object.keys(WARNING_BITS).length }, (_, bits) =>
	warningsOf(bits).map((warning) => WARNINGS[warning]),
);

/** Does one tokenizing pass over one file. */
export class TokenizePass implements Pass {
	readonly summary = emptySummary();
	readonly rejections = new Rejections();
	readonly #options: TokenizeOptions;
	readonly #month: Expiry;
	readonly #number = new NumberReading();
	readonly #verdict: Verdict = { refusal: null, warnings: 0, brand: 0 };
	readonly #facts = {
		expiry: 0,
		cvv: readCvv(Buffer.alloc(0), 0, 0),
		type: undefined as number | undefined,
		isTypeUnknown: false,
		now: 0,
	};
	readonly #types = new TypeMemo();
	readonly #fields: CardFields;
	readonly #others: OtherNumbersPass;
	readonly #token = Buffer.alloc(TOKEN_BYTES);
	readonly #reportsAll: boolean;
	/** The bits of the warnings that no card gets, because the layout lacks the field and the file gets a notice instead. */
	#lacking = 0;
	#leftOut = 0;
	#isReportBehind: Promise<void> | undefined;

	constructor(options: TokenizeOptions) {
		this.#options = options;
		this.#month = monthOf(options.now);
		this.#fields = new CardFields(options.format);
		this.#others = new OtherNumbersPass(options.common, this.rejections);
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
		const notices = this.#others.judgeFile(scanner, this.summary);
		if (this.#leftOut > 0) notices.push(`${this.#leftOut} ${LEFT_OUT}`);
		this.summary.notices = notices;
	}

	async finish(): Promise<void> {
		this.rejections.throwIfAny();
		await this.#options.store.flush();
	}

	async settle(): Promise<void> {
		await this.#options.store.settle();
	}

	wipe(): void {
		this.#number.clear();
		this.#fields.wipe();
		this.#options.store.wipe();
	}

	/** Reads and judges one finding; returns null if there is no card to judge. */
	#read(bytes: Buffer, finding: Finding): Verdict | null {
		const number = this.#number;
		const [facts, fields] = [this.#facts, this.#fields];
		fields.read(bytes, finding);
		if (finding.isOther) number.readSpelled(fields.bytes, fields.start, fields.end);
		else number.read(fields.bytes, fields.start, fields.end);
		if (number.kind !== 'digits' && number.kind !== 'spreadsheet') return null;
		facts.expiry = finding.expiry;
		facts.now = this.#month;
		facts.cvv = finding.cvvEnd > finding.cvvStart ? fields.readCvv(bytes, finding) : 'absent';
		const type = fields.text(bytes, finding, finding.typeStart, finding.typeEnd);
		facts.type = this.#types.find(type, 0, type.length);
		facts.isTypeUnknown = facts.type === undefined && namesType(type);
		return judge(number, facts, this.#verdict);
	}

	/** Notes the record that would be stored for a finding, if any, for the look-up of duplicates. */
	#note(duplicates: Duplicates, bytes: Buffer, finding: Finding): void {
		if (finding.isOther && (finding.isCode || !this.#others.isTokenized(finding))) return;
		const verdict = this.#read(bytes, finding);
		if (!verdict || verdict.refusal !== null) return;
		duplicates.note(this.#fields.record(bytes, finding, this.#number, verdict.brand, this.#facts.type));
	}

	#exchangeOne(bytes: Buffer, finding: Finding, base: number, edits: Edits): void {
		const { summary } = this;
		if (finding.isOther) {
			this.#exchangeOther(bytes, finding, base, edits);
			return;
		}
		if (finding.record > summary.records) summary.records = finding.record;
		const verdict = this.#read(bytes, finding);
		if (!verdict) {
			if (this.#number.kind === 'masked') summary.masked++;
			else if (this.#number.kind === 'token') this.#countToken();
			if (finding.cvvEnd > finding.cvvStart) this.#tellLoneCvv(bytes, finding, base, edits);
			return;
		}
		if (verdict.refusal !== null) {
			this.#refuse(bytes, finding, base, edits, verdict.refusal);
			return;
		}
		// Nothing of a rejected file is stored. The rest of it is read only to find its other faults.
		if (this.rejections.count > 0) return;
		this.#swap(bytes, finding, edits, verdict);
		summary.cards++;
		const warnings = verdict.warnings & ~this.#lacking;
		if (warnings !== 0) summary.warned++;
		if (this.#reportsAll) {
			const texts = WARNING_TEXTS[warnings];
			this.#tell(finding, base, { outcome: 'tokenized', ...(warnings !== 0 && { warnings: texts }) });
		} else if (warnings !== 0) {
			const card = summary.cards + summary.refused;
			this.#options.report.warned?.(WARNING_TEXTS[warnings], finding, base + finding.numberStart, card);
		}
	}

	/** Reports a security code that belongs to no card, because its number is masked, a token or missing. */
	#tellLoneCvv(bytes: Buffer, finding: Finding, base: number, edits: Edits): void {
		if (this.#fields.readCvv(bytes, finding) !== 'readable') return;
		const code = new Finding();
		code.isOther = true;
		code.isCode = true;
		code.line = lineOf(bytes, finding, finding.cvvStart);
		code.numberStart = finding.cvvStart;
		code.numberEnd = finding.cvvEnd;
		code.shape = finding.isCvvBare ? 'otherQuoted' : 'other';
		this.#exchangeOther(bytes, code, base, edits);
	}

	/** Handles a number or security code outside the card fields of the layout. Nothing but its digits is known. */
	#exchangeOther(bytes: Buffer, finding: Finding, base: number, edits: Edits): void {
		const others = this.#others;
		if (finding.isCode) {
			if (others.takeCode(finding, base, this.summary) === 'mask') {
				const { numberStart: cvvStart, numberEnd: cvvEnd, shape } = finding;
				putStars(edits, { cvvStart, cvvEnd, isCvvBare: shape === 'otherQuoted' });
			}
			this.#enter(others.codeEntry(finding, base));
			return;
		}
		const verdict = this.#read(bytes, finding)!;
		const treatment = others.take(finding, base, this.summary);
		// Nothing of a rejected file is stored.
		if (treatment === 'tokenize' && this.rejections.count === 0) {
			this.#swap(bytes, finding, edits, verdict);
			this.summary.cards++;
		} else if (treatment === 'mask') putOtherMask(edits, finding, bytes, this.#number.count);
		this.#enter(others.entry(finding, base, treatment, this.#number));
	}

	#swap(bytes: Buffer, finding: Finding, edits: Edits, verdict: Verdict): void {
		const { store, keepsCvv, format } = this.#options;
		const record = this.#fields.record(bytes, finding, this.#number, verdict.brand, this.#facts.type);
		const placement = store.place(record, store.duplicates?.take());
		putToken(edits, finding, placement.tokens, placement.offset, format.tokenCase, bytes);
		if (finding.referenceEnd > finding.referenceStart) {
			const reference = findReference(this.#fields.text(bytes, finding, finding.referenceStart, finding.referenceEnd));
			if (reference === undefined) verdict.warnings |= WARNING_BITS['reference-unusable'];
			else if (placement.isNew) store.addReference(placement, reference);
		}
		if (this.#facts.cvv === 'readable') {
			if (keepsCvv && placement.isNew) store.addCvv(placement, this.#fields.cvv(bytes, finding), finding.isCvvBare);
			putStars(edits, finding);
		}
	}

	#refuse(bytes: Buffer, finding: Finding, base: number, edits: Edits, refusal: Refusal): void {
		this.summary.refused++;
		const { onRefused } = this.#options.common;
		if (onRefused === 'reject') {
			const { line, record, numberStart } = finding;
			this.rejections.addCard(REFUSALS[refusal], { offset: base + numberStart, line, record });
		}
		if (onRefused === 'mask') {
			putMask(edits, finding, bytes, this.#number);
			// A malformed CVV is starred too, because it may be a real one with an extra digit.
			if (finding.cvvEnd > finding.cvvStart) putStars(edits, finding);
		}
		this.#tell(finding, base, { outcome: 'refused', reason: REFUSALS[refusal] });
	}

	/** Counts a value of 32 hexadecimal characters if one of our keys may have created it as a token; asks no database. */
	#countToken(): void {
		readHex(this.#fields.bytes, this.#fields.start, this.#token, 0);
		if (this.#options.store.tokens.decode(this.#token)[0]) this.summary.preexistingTokens++;
	}

	#tell(finding: Finding, base: number, what: Pick<ReportEntry, 'outcome' | 'reason' | 'warnings'>): void {
		const last = lastFour(this.#number.digits, this.#number.count);
		// `count` is not exact for a number that is too long, but the report shows no digit of such a number.
		const { count, hasOtherCharacters } = this.#number;
		const isShown = !hasOtherCharacters && last !== '' && count >= 12 && count <= MAX_CARD_DIGITS;
		const entry = {
			record: finding.record,
			line: finding.line,
			offset: base + finding.numberStart,
			...what,
			...(this.#verdict.brand !== 0 && { cardType: CARD_TYPES[this.#verdict.brand] }),
			...(isShown && { lastFour: last }),
		};
		this.#enter(entry);
	}

	#enter(entry: ReportEntry): void {
		const taken = this.#options.report.entry(entry, this.summary.cards + this.summary.refused);
		if (taken) this.#isReportBehind = taken;
	}
}

/** Returns the line of the byte at `at`, found by counting the line ends between it and the number of the finding. */
function lineOf(bytes: Buffer, { line, numberStart }: Finding, at: number): number {
	const isBefore = at < numberStart;
	let ends = 0;
	for (let i = Math.min(at, numberStart); i < Math.max(at, numberStart); i++) {
		if (bytes[i] === 0x0a ? bytes[i - 1] !== 0x0d : bytes[i] === 0x0d) ends++;
	}
	return isBefore ? line - ends : line + ends;
}
