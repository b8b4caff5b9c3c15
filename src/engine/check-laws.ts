// Runs the laws that every format keeps over a sample file (decision 2), with cards that are only in memory. A plugin of
// somebody else is checked by them before an operator allows it.

import { createSecretKey, randomBytes } from 'node:crypto';
import type { Resolved } from '../vault/cards/card-reader.ts';
import type { OpenedCvv } from '../vault/cvvs/cvv.ts';
import type { CvvSpelling } from '../vault/cvvs/cvv-seal.ts';
import type { Placement } from '../vault/pages/page-builder.ts';
import { type RecordFields, recordLength, StoredRecord, writeRecord } from '../vault/pages/record-codec.ts';
import { SALT_BYTES, TOKEN_BYTES, TokenCipher } from '../vault/tokens/token.ts';
import { type CardStore, trialStore } from '../vault/tokens/trial-store.ts';
import { DetokenizePass } from './detokenize.ts';
import { type Direction, FileError, type Finding, Findings, type Format } from './format.ts';
import { parseOptions } from './options.ts';
import type { ReportEntry, Summary } from './report.ts';
import { TokenizePass } from './tokenize.ts';
import { transferFile } from './transfer-file.ts';
import { DEFAULT_LIMITS } from './window.ts';

/** A law that a format has broken with a sample. */
export interface BrokenLaw {
	readonly law: string;
	/** Says where, without any content of the sample. */
	readonly problem: string;
}

export interface Checked {
	readonly cards: number;
	readonly otherNumbers: number;
	/** The first fault of the file, if the format refuses the sample as a whole. */
	readonly refusal?: string;
	readonly broken: readonly BrokenLaw[];
}

const LAWS = {
	inverse: 'detokenizing gives the same file again',
	again: 'tokenizing twice changes nothing more',
	rest: 'only cards change',
	windows: 'the result does not depend on how the file is cut into windows',
	cut: 'a file that is cut off is a shorter file, or is refused with a position',
	answers: 'the answers keep the contract, in time',
} as const;

/** With so many sizes of windows at most, and cut off at so many places, a sample is run as a whole. */
const CUTS = 24;
/** Windows end at every byte of the first part of a sample. */
const MOST_CUT_BYTES = 16_384;
const MASK = 0x58;
const STAR = 0x2a;

interface Run {
	readonly bytes: Buffer;
	readonly summary: Summary;
	readonly entries: readonly ReportEntry[];
	readonly cards: MemoryCards;
}

/** Checks one format with one sample after the other. */
export class LawCheck {
	readonly #format: Format;
	readonly #now: Date;
	readonly #options;

	constructor(format: Format, now: Date) {
		this.#format = format;
		this.#now = now;
		this.#options = parseOptions(format, { expectCards: false, report: { cards: 'all' } });
	}

	async check(sample: Buffer): Promise<Checked> {
		const broken: BrokenLaw[] = [];
		const tell = (law: keyof typeof LAWS, problem: string) => void broken.push({ law: LAWS[law], problem });
		let there: Run;
		try {
			there = await this.#run(sample, 'tokenize');
		} catch (error) {
			const refusal = this.#refusalOf(error, tell);
			return { cards: 0, otherNumbers: 0, broken, ...(broken.length === 0 && { refusal }) };
		}
		await this.#guarded(tell, async () => {
			const back = await this.#run(there.bytes, 'detokenize', there.cards);
			const differs = firstDifference(back.bytes, sample);
			if (differs !== -1) tell('inverse', `the files differ at byte ${differs}`);
		});
		await this.#guarded(tell, async () => {
			const again = await this.#run(there.bytes, 'tokenize', there.cards);
			const differs = firstDifference(again.bytes, there.bytes);
			if (differs !== -1) tell('again', `the files differ at byte ${differs}`);
		});
		const changed = firstOtherChange(sample, there);
		if (changed !== -1) tell('rest', `something else than a card changed at byte ${changed}`);
		await this.#guarded(tell, async () => {
			const part = sample.subarray(0, MOST_CUT_BYTES);
			const [whole, cut] = [await this.#scan(part, part.length), await this.#scan(part, 1)];
			if (whole.length !== cut.length)
				return tell('windows', `a window that ends at every byte has ${cut.length} cards in place of ${whole.length}`);
			const other = whole.findIndex((card, i) => card !== cut[i]);
			if (other !== -1) tell('windows', `card ${other + 1} is another one with a window that ends at every byte`);
		});
		const seen = JSON.stringify(there.entries);
		for (const windowBytes of cutsOf(sample.length, CUTS)) {
			await this.#guarded(tell, async () => {
				const { entries } = await this.#run(sample, 'tokenize', new MemoryCards(), windowBytes);
				if (JSON.stringify(entries) !== seen)
					tell('windows', `other cards are found in windows of ${windowBytes} bytes`);
			});
		}
		for (const length of cutsOf(sample.length, CUTS)) {
			const part = sample.subarray(0, length);
			try {
				const cut = await this.#run(part, 'tokenize');
				const back = await this.#run(cut.bytes, 'detokenize', cut.cards);
				if (firstDifference(back.bytes, part) !== -1) tell('cut', `cut off at byte ${length}, it does not come back`);
			} catch (error) {
				this.#refusalOf(error, tell);
			}
		}
		const { cards, otherNumbers } = there.summary;
		return { cards, otherNumbers, broken };
	}

	async #guarded(tell: (law: keyof typeof LAWS, problem: string) => void, work: () => Promise<void>): Promise<void> {
		try {
			await work();
		} catch (error) {
			const refusal = this.#refusalOf(error, tell);
			if (refusal !== undefined) tell('windows', `the file is refused then: ${refusal}`);
		}
	}

	/** Returns why a file was refused. What a plugin answers wrongly is told as a broken law. */
	#refusalOf(error: unknown, tell: (law: keyof typeof LAWS, problem: string) => void): string | undefined {
		if (!(error instanceof FileError)) throw error;
		const text = `${error.message}, at byte ${error.at.offset}`;
		if (error.told.code !== 'plugin-failed') return text;
		tell('answers', text);
		return undefined;
	}

	/** Scans a file in windows that grow by so many bytes, and returns what is known of each card. */
	async #scan(sample: Buffer, step: number): Promise<string[]> {
		const bytes = Buffer.from(sample);
		const scanner = this.#format.scanner(this.#options.format, 'tokenize');
		const found = new Findings();
		const cards: string[] = [];
		try {
			let from = 0;
			for (let to = Math.min(step, bytes.length); from < bytes.length; to = Math.min(to + step, bytes.length)) {
				const isLast = to === bytes.length;
				found.length = 0;
				await scanner.prepare?.(bytes, from, to, isLast);
				from = scanner.scan(bytes, from, to, isLast, found);
				for (let i = 0; i < found.length; i++) cards.push(factsOf(found.items[i]));
			}
		} finally {
			scanner.close?.();
		}
		return cards;
	}

	async #run(
		bytes: Buffer,
		direction: Direction,
		cards = new MemoryCards(),
		windowBytes = DEFAULT_LIMITS.windowBytes,
	): Promise<Run> {
		const output: Buffer[] = [];
		const entries: ReportEntry[] = [];
		const { common, format: options } = this.#options;
		const report = {
			entry(entry: ReportEntry) {
				entries.push(entry);
				return undefined;
			},
		};
		const format = this.#format;
		const pass =
			direction === 'tokenize'
				? new TokenizePass({ format, common, keepsCvv: true, store: cards.store(), report, now: this.#now })
				: new DetokenizePass({ common, reader: cards, cvvs: cards, report });
		const summary = await transferFile({
			format,
			options,
			direction,
			pass,
			source: pieces(bytes),
			sink: { write: async (written) => void output.push(Buffer.from(written)) },
			tokens: cards.tokens,
			limits: { ...DEFAULT_LIMITS, windowBytes },
		});
		return { bytes: Buffer.concat(output), summary, entries, cards };
	}
}

/** Returns what a scanner says of a card. Where an empty span stands means nothing. */
function factsOf(finding: Finding): string {
	const facts: (string | number)[] = [finding.record, finding.line, finding.expiry, finding.shape];
	for (const span of ['number', 'cvv', 'type', 'name', 'reference', 'side'] as const) {
		const [start, end] = [finding[`${span}Start`], finding[`${span}End`]];
		const isEmpty = start === end && (span !== 'side' || finding.shape !== 'columns');
		facts.push(isEmpty ? span : `${start}-${end}`);
	}
	return facts.join(' ');
}

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
	if (bytes.length > 0) yield Buffer.from(bytes);
}

/** Returns up to `count` places within a file, spread evenly. */
function cutsOf(length: number, count: number): number[] {
	const most = Math.min(count, length - 1);
	return [...new Set(Array.from({ length: Math.max(0, most) }, (_, i) => Math.floor(((i + 1) * length) / (most + 1))))];
}

function firstDifference(one: Buffer, other: Buffer): number {
	const length = Math.min(one.length, other.length);
	for (let i = 0; i < length; i++) if (one[i] !== other[i]) return i;
	return one.length === other.length ? -1 : length;
}

/**
 * Returns the first byte of a sample that changed although it is no card, or -1. The tokens are taken out of the output
 * again without the help of the format; what differs then may only be masks of columns and stars of CVVs.
 */
function firstOtherChange(sample: Buffer, { bytes, cards, entries }: Run): number {
	const numbers = entries.filter(({ outcome }) => outcome === 'tokenized').map(({ offset }) => offset);
	let rest = bytes.toString('latin1');
	for (const { token, record } of cards.cards) {
		const spelled = Buffer.from(record.presentation).toString('latin1');
		const text = new RegExp(`( TKN-)?${token.toString('hex')}`, 'i');
		rest = rest.replace(text, () => (record.shape === 'columns' ? '' : spelled));
	}
	const output = Buffer.from(rest, 'latin1');
	if (output.length !== sample.length) return Math.min(output.length, sample.length);
	for (let i = 0; i < sample.length; i++) {
		if (output[i] === sample[i] || output[i] === STAR) continue;
		const isInNumber = numbers.some((start, n) => i >= start && i < start + cards.cards[n].record.presentation.length);
		if (output[i] !== MASK || !isInNumber) return i;
	}
	return -1;
}

interface KeptCard {
	readonly token: Buffer;
	readonly record: StoredRecord;
	cvv?: CvvSpelling;
}

/** Takes the place of the vault for one sample of a format: cards are only in memory, and their tokens lead to them. */
class MemoryCards {
	readonly tokens: TokenCipher;
	readonly cards: KeptCard[] = [];
	readonly #byToken = new Map<string, KeptCard>();

	constructor() {
		const secret = createSecretKey(randomBytes(32));
		const key = { purpose: 'token', accountId: 0, generation: 1, createdAt: 0, secret } as const;
		this.tokens = new TokenCipher([{ ...key, id: 0 as never }]);
	}

	store(): CardStore {
		return {
			...trialStore(this.tokens),
			place: (fields) => this.#place(fields),
			addCvv: ({ slot }, digits, spelling) => {
				const { isBare, text } = spelling ?? { isBare: false, text: digits };
				this.cards[slot].cvv = { isBare, text: Buffer.from(text) };
			},
		};
	}

	async resolve(tokens: Buffer): Promise<(Resolved | undefined)[]> {
		const count = tokens.length / TOKEN_BYTES;
		return Array.from({ length: count }, (_, i) => {
			const card = this.#byToken.get(tokens.toString('hex', i * TOKEN_BYTES, (i + 1) * TOKEN_BYTES));
			return card && { page: undefined as never, slot: this.cards.indexOf(card), record: card.record, isOwner: true };
		});
	}

	async useForFile({ slot }: Pick<Resolved, 'slot'>): Promise<OpenedCvv | undefined> {
		const spelling = this.cards[slot].cvv;
		return spelling && { digits: Buffer.alloc(0), spelling, endsAtMs: 0, wipe() {} };
	}

	/** Does nothing: the cards of a sample are gone with this object. */
	wipe(): void {}

	#place(fields: RecordFields): Placement {
		const slot = this.cards.length;
		const salted = { id: slot + 1, salt: randomBytes(SALT_BYTES), token_generation: 1 };
		const token = this.tokens.tokenOf(salted, 0);
		const bytes = Buffer.alloc(recordLength(fields));
		writeRecord(bytes, 0, fields);
		const card = { token, record: new StoredRecord(bytes, 0) };
		this.cards.push(card);
		this.#byToken.set(token.toString('hex'), card);
		return { page: slot + 1, slot, tokens: token, offset: 0, isNew: true };
	}
}
