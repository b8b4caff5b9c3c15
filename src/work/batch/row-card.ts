// Reads one row of a table, or one object of a JSON list of cards, by the rules for rows of files, and checks its card by
// the rules for calls that store one card.

import { PART } from '../../base/card/card-parts.ts';
import type { CardField } from '../../base/card/names/field-names.ts';
import { CardReading, DOORS } from '../../base/card/read-card.ts';
import { PROBLEMS, WARNING_LINES } from '../../base/card/verdict.ts';
import { CardRecord } from '../../vault/cards/new-card.ts';
import type { JudgedCard } from './batch-cards.ts';
import { FIELD_TITLES, type RowColumns } from './row-columns.ts';

/** Describes a row as the library has divided it. */
export interface Row {
	/** The line on which the row of a table begins, or the number of the item in a list, from 1. */
	readonly place: number;
	readonly cells: readonly Buffer[];
}

export interface RowShape {
	readonly columns: RowColumns;
	/** How many cells every row has. */
	readonly width: number;
	/** What `Row.place` counts, for error texts. */
	readonly counts: 'line' | 'item';
}

/** Reads one row and holds what was read of its card. The object is reused for the next row. */
export class RowCard implements JudgedCard {
	fields: CardRecord | null = null;
	cvv: Uint8Array | null = null;
	warning: string | null = null;
	error: string | null = null;
	reference: string | undefined;
	readonly #columns: readonly (readonly [part: number, column: number])[];
	readonly #shape: RowShape;
	readonly #reading: CardReading;
	readonly #record = new CardRecord();

	constructor(shape: RowShape, now: Date) {
		this.#columns = Object.entries(shape.columns).map(([field, column]) => [PART[field as CardField], column]);
		this.#shape = shape;
		this.#reading = new CardReading(DOORS.row, now);
	}

	read({ place, cells }: Row): void {
		const reading = this.#reading;
		const { width, counts } = this.#shape;
		this.fields = this.cvv = this.warning = this.error = null;
		this.reference = undefined;
		if (cells.length !== width) {
			this.error = `${counts} ${place}: expected ${width} columns, as the header row has`;
			return;
		}
		reading.parts.begin();
		for (const [part, column] of this.#columns) reading.parts.put(part, trimmed(cells[column]));
		if (reading.read() !== 'accepted') {
			const [[part, problem]] = reading.faults();
			this.error = `${counts} ${place}, ${FIELD_TITLES[part as CardField]}: ${PROBLEMS[problem]}`;
			return;
		}
		this.fields = this.#record.fill(reading);
		this.reference = reading.text(PART.reference)?.toString();
		// A CVV of stars is not kept, because this service writes stars in place of a CVV.
		this.cvv = reading.cvv === 'readable' ? reading.parts.of(PART.cvv) : null;
		this.warning = WARNING_LINES[reading.warnings] || null;
	}

	wipe(): void {
		this.#reading.wipe();
		this.fields = this.cvv = null;
	}
}

function trimmed(cell: Buffer): Buffer {
	let [start, end] = [0, cell.length];
	while (start < end && cell[start] <= 0x20) start++;
	while (end > start && cell[end - 1] <= 0x20) end--;
	return cell.subarray(start, end);
}
