/** The position of the name by which a notice calls something. */
export interface Named {
	readonly nameStart: number;
	readonly nameEnd: number;
}

/**
 * One value in a card element or object that is still open: where it stands in the current window, how it is written and
 * under which name. The objects are reused, because a file may have millions of values.
 */
export class HeldValue {
	start = 0;
	end = 0;
	line = 0;
	/** True if it is a number of JSON, which has no quotes. */
	isBare = false;
	/** True if its bytes are not its plain text, because it contains escapes, references or markup. */
	isEscaped = false;
	/** The position of the name by which a notice calls it. */
	nameStart = 0;
	nameEnd = 0;
	/** True if the name of a CVV clearly says CVV, or if any reader takes a possible card number for one. */
	isSure = false;

	/** Becomes a copy of another value. */
	take(other: HeldValue): this {
		this.start = other.start;
		this.end = other.end;
		this.line = other.line;
		this.isBare = other.isBare;
		this.isEscaped = other.isEscaped;
		this.nameStart = other.nameStart;
		this.nameEnd = other.nameEnd;
		return this;
	}

	/** Gets the name of another value, or of a field around this one. */
	callAs({ nameStart, nameEnd }: Named): this {
		this.nameStart = nameStart;
		this.nameEnd = nameEnd;
		return this;
	}
}

/** A list of values. Only the first `length` items are in use; the others are kept for reuse. */
export class HeldValues {
	length = 0;
	readonly items: HeldValue[] = [];

	/** Adds a value that the caller fills. */
	next(): HeldValue {
		if (this.length === this.items.length) this.items.push(new HeldValue());
		return this.items[this.length++];
	}

	/** Adds a copy of a value. */
	add(value: HeldValue, isSure = false): void {
		this.next().take(value).isSure = isSure;
	}

	/** Removes the values for which `isKept` returns false. */
	keep(isKept: (value: HeldValue) => boolean): void {
		const { items } = this;
		let kept = 0;
		for (let i = 0; i < this.length; i++) {
			if (isKept(items[i])) [items[kept++], items[i]] = [items[i], items[kept]];
		}
		this.length = kept;
	}
}
