/** A reader of JSON or XML, as far as its window can be read again. Its event 0 says that the window ends. */
interface PieceReader<Reader> {
	readonly at: number;
	readonly end: number;
	begin(bytes: Buffer, from: number, to: number, isLast: boolean): void;
	follow(other: Reader): void;
	next(): number;
}

/**
 * Reads a window a second time, to say in which key or element an offset is. Each search continues where the one before it
 * ended, so many offsets in ascending order need only one such reading.
 */
export class SecondReading<Reader extends PieceReader<Reader>> {
	readonly reader: Reader;
	/** The event that contains the offset, or 0 if it is in none that is whole. */
	event = 0;
	/** Stands where the window begins. */
	readonly #first: Reader;
	#start = 0;
	#to = 0;
	/** Where the event begins; -1 if the window was not read yet. */
	#from = -1;
	#isAtEnd = false;

	/** @param open opens a reader for what was read before without a fault */
	constructor(open: (fail: () => Error) => Reader) {
		const fail = () => new Error('internal error: a window that was read has a fault');
		this.reader = open(fail);
		this.#first = open(fail);
	}

	/** Begins a window, before this reader reads it. */
	begin(reader: Reader): void {
		this.#first.follow(reader);
		this.#start = reader.at;
		this.#to = reader.end;
		this.#from = -1;
	}

	/** Reads up to the offset `at`. Calls `restart` if that begins where the window begins, and `take` with each event. */
	moveTo(bytes: Buffer, at: number, restart: () => void, take: (event: number) => void): void {
		const { reader } = this;
		if (this.#from < 0 || at < this.#from) {
			reader.follow(this.#first);
			reader.begin(bytes, this.#start, this.#to, false);
			this.event = 0;
			this.#from = this.#start;
			this.#isAtEnd = false;
			restart();
		}
		while (at >= reader.at && !this.#isAtEnd) {
			this.#from = reader.at;
			this.event = reader.next();
			this.#isAtEnd = this.event === 0;
			take(this.event);
		}
	}
}
