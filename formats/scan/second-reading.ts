import { type FirstNames, OpenNames } from './open-names.ts';

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
	/** The names that are open at the offset. */
	readonly names: OpenNames;
	/** The event that contains the offset, or 0 if it is in none that is whole. */
	event = 0;
	readonly #take: (event: number, reader: Reader, names: OpenNames) => void;
	/** Stands where the window begins. */
	readonly #first: Reader;
	#firstNames: FirstNames = { texts: [] };
	#start = 0;
	#to = 0;
	/** Where the event begins; -1 if the window was not read yet. */
	#from = -1;
	#isAtEnd = false;

	/**
	 * @param open opens a reader for what was read before without a fault
	 * @param readName returns the text of a name
	 * @param take notes the names that an event opens
	 */
	constructor(
		open: (fail: () => Error) => Reader,
		depth: number,
		readName: (name: Buffer) => string,
		take: (event: number, reader: Reader, names: OpenNames) => void,
	) {
		const fail = () => new Error('internal error: a window that was read has a fault');
		this.reader = open(fail);
		this.#first = open(fail);
		this.names = new OpenNames(depth, readName);
		this.#take = take;
	}

	/** Begins a window, before this reader reads it, inside these names. */
	begin(reader: Reader, names: FirstNames): void {
		this.#first.follow(reader);
		this.#firstNames = names;
		this.#start = reader.at;
		this.#to = reader.end;
		this.#from = -1;
	}

	/** Reads up to the offset `at`. */
	moveTo(bytes: Buffer, at: number): this {
		const { reader, names } = this;
		if (this.#from < 0 || at < this.#from) {
			reader.follow(this.#first);
			reader.begin(bytes, this.#start, this.#to, false);
			names.follow(this.#firstNames);
			this.event = 0;
			this.#from = this.#start;
			this.#isAtEnd = false;
		}
		while (at >= reader.at && !this.#isAtEnd) {
			this.#from = reader.at;
			this.event = reader.next();
			this.#isAtEnd = this.event === 0;
			this.#take(this.event, reader, names);
		}
		return this;
	}
}
