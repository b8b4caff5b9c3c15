// Reads one row of a CSV batch by the rules for rows of files, and checks its card by the rules for calls that store
// one card.

import { readCvv } from '../../card/cvv.ts';
import { EXPIRY_ABSENT, type Expiry, monthOf, readExpiry, readMonthAndYear } from '../../card/expiry.ts';
import type { CardField } from '../../card/field-names.ts';
import { NumberReading } from '../../card/number.ts';
import { holdsCardNumber } from '../../card/spelled-number.ts';
import { judge, REFUSALS, type Refusal, type Verdict, WARNINGS, warningsOf } from '../../card/verdict.ts';
import { utf8Of } from '../../transfer/plain-text.ts';
import { namesType, TypeMemo } from '../../transfer/type-memo.ts';
import type { RecordFields } from '../../vault/record-codec.ts';
import type { JudgedCard } from './batch-cards.ts';
import { type CsvColumns, FIELD_TITLES } from './csv-columns.ts';

const MAX_NUMBER_CHARACTERS = 22;
const MAX_TEXT_CHARACTERS = 255;

/** Maps each refusal that is not about the number to the field that it is about. */
const PLACES: Partial<Record<Refusal, CardField>> = { cvv: 'cvv', expired: 'expiry', expiry: 'expiry' };

/** Describes a row as the CSV library has divided it; `line` is the line on which the row begins. */
export interface CsvRow {
	readonly line: number;
	readonly cells: readonly Buffer[];
}

/** This error says why the card of a row is not accepted. */
class RowProblem extends Error {
	override readonly name = 'RowProblem';
	constructor(field: CardField, problem: string) {
		super(`${FIELD_TITLES[field]}: ${problem}`);
	}
}

/** Reads one row and holds what was read of its card. The object is reused for the next row. */
export class CsvCard implements JudgedCard {
	fields: RecordFields | null = null;
	cvv: Uint8Array | null = null;
	warning: string | null = null;
	error: string | null = null;
	reference: string | undefined;
	readonly #columns: CsvColumns;
	/** The number of cells in a row. */
	readonly #width: number;
	readonly #month: Expiry;
	readonly #number = new NumberReading();
	readonly #types = new TypeMemo();
	readonly #verdict: Verdict = { refusal: null, warnings: 0, brand: 0 };

	constructor(columns: CsvColumns, width: number, now: Date) {
		this.#columns = columns;
		this.#width = width;
		this.#month = monthOf(now);
	}

	/** Reads and judges the card of a row. */
	read({ line, cells }: CsvRow): void {
		this.fields = this.cvv = this.warning = this.error = null;
		this.reference = undefined;
		if (cells.length !== this.#width) {
			this.error = `line ${line}: expected ${this.#width} columns, as the header row has`;
			return;
		}
		try {
			this.#judge(cells.map(trimmed));
		} catch (error) {
			if (!(error instanceof RowProblem)) throw error;
			this.error = `line ${line}, ${error.message}`;
		}
	}

	wipe(): void {
		this.#number.clear();
		this.fields = this.cvv = null;
	}

	#judge(cells: readonly Buffer[]): void {
		const number = this.#number;
		const digits = this.#cell(cells, 'number');
		if (digits.length === 0) throw new RowProblem('number', 'is required');
		number.read(digits, 0, digits.length);
		const expiry = this.#expiry(cells);
		const cvv = this.#cell(cells, 'cvv');
		const cvvReading = readCvv(cvv, 0, cvv.length);
		const typeCell = this.#cell(cells, 'type');
		const type = this.#types.find(typeCell, 0, typeCell.length);
		const isTypeUnknown = type === undefined && namesType(typeCell);
		const verdict = judge(number, { expiry, cvv: cvvReading, type, isTypeUnknown, now: this.#month }, this.#verdict);
		const refusal = digits.length > MAX_NUMBER_CHARACTERS ? 'too-long' : verdict.refusal;
		if (refusal) throw new RowProblem(PLACES[refusal] ?? 'number', REFUSALS[refusal]);
		if (expiry === EXPIRY_ABSENT) throw new RowProblem('expiry', 'is required');
		const name = this.#text(cells, 'name');
		this.reference = this.#text(cells, 'reference');
		this.fields = {
			...{ kind: 'card', shape: 'plain', expiry, type: type ?? verdict.brand, spelling: null },
			...{ digits: number.digits, digitCount: number.count, name: name === undefined ? null : Buffer.from(name) },
			...{ issueNumber: null, owner: null, virtual: null },
		};
		// A CVV of stars is not kept, because this service writes stars in place of a CVV.
		this.cvv = cvvReading === 'readable' ? cvv : null;
		const warnings = warningsOf(verdict.warnings).map((warning) => WARNINGS[warning]);
		this.warning = warnings.length === 0 ? null : warnings.join(', ');
	}

	#expiry(cells: readonly Buffer[]): Expiry {
		if (this.#columns.expiry !== undefined) {
			const whole = this.#cell(cells, 'expiry');
			return readExpiry(whole, 0, whole.length);
		}
		const [month, year] = [this.#cell(cells, 'month'), this.#cell(cells, 'year')];
		const both = Buffer.concat([month, year]);
		return readMonthAndYear(both, 0, month.length, month.length, both.length);
	}

	/**
	 * Returns the text of a cell. The text is stored in clear beside a token, so a text that may hold a card number is
	 * refused.
	 * @throws RowProblem
	 */
	#text(cells: readonly Buffer[], field: 'name' | 'reference'): string | undefined {
		const text = utf8Of(this.#cell(cells, field)).toString();
		if (text === '') return undefined;
		if (text.length > MAX_TEXT_CHARACTERS) {
			throw new RowProblem(field, `longer than ${MAX_TEXT_CHARACTERS} characters`);
		}
		if (text.includes('\0')) throw new RowProblem(field, 'may not hold a NUL character');
		if (holdsCardNumber(text)) throw new RowProblem(field, 'looks like a card number');
		return text;
	}

	#cell(cells: readonly Buffer[], field: CardField): Buffer {
		const column = this.#columns[field];
		return column === undefined ? NOTHING : cells[column];
	}
}

const NOTHING = Buffer.alloc(0);

function trimmed(cell: Buffer): Buffer {
	let [start, end] = [0, cell.length];
	while (start < end && cell[start] <= 0x20) start++;
	while (end > start && cell[end - 1] <= 0x20) end--;
	return cell.subarray(start, end);
}
