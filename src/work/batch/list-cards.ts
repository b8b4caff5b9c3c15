import { finished } from 'node:stream/promises';
import { parser } from 'stream-json';
import { flexAssembler, objectRule } from 'stream-json/utils/flex-assembler.js';
import { type BatchCards, BatchError, type JudgedCard, MAX_CARD_BYTES, NO_CARD } from './batch-cards.ts';
import { RowCard } from './row-card.ts';
import { findColumns } from './row-columns.ts';

const MAX_DEPTH = 32;

/** An object with its members in their order. A member that is there twice stays twice, so that it can be refused. */
class Members extends Array<readonly [name: string, value: unknown]> {}

/** One cell a value. The name of a nested value has the names of all members on the way to it, joined by dots. */
interface Item {
	readonly names: readonly string[];
	readonly cells: readonly Buffer[];
}

/**
 * Reads the cards of a JSON list, or of JSON objects that follow each other. Members may be nested:
 * `{"card": {"number": …}}` is read as a table with a column `card.number`. Lists within a card are not read.
 */
export class ListCards implements BatchCards {
	card: JudgedCard = NO_CARD;
	readonly #now: Date;
	readonly #parser = parser.asStream({ packValues: true, streamValues: false, jsonStreaming: true });
	readonly #assembler = flexAssembler({
		numberAsString: true,
		objectRules: [
			objectRule({
				filter: () => true,
				create: () => new Members(),
				add: (members, name, value) => void members.push([name, value]),
			}),
		],
	});
	#state: 'opening' | 'list' | 'objects' | 'closed' = 'opening';
	/** The items that were found and are not read yet; undefined for an item that is no object. */
	#items: (Item | undefined)[] = [];
	#next = 0;
	#found = 0;
	#read = 0;
	/** The bytes that came since the last item ended. */
	#unfinished = 0;
	/** The reader for cards with the same members as the last one. */
	#reader: { readonly names: string; readonly card: RowCard } | undefined;
	#failure: BatchError | undefined;

	constructor(now: Date) {
		this.#now = now;
		this.#parser.on('data', (token: parser.Token) => this.#take(token));
		// The library's own message is not used, because it does not promise to repeat nothing of the list.
		this.#parser.on('error', () => this.#fail('the list is no JSON'));
	}

	async feed(piece: Buffer | null): Promise<number> {
		if (piece === null && !this.#failure) {
			this.#parser.end();
			await finished(this.#parser).catch(() => {});
			if (this.#state === 'opening') this.#fail('a list of cards is missing');
		} else if (piece !== null && !this.#failure) {
			if (this.#unfinished > MAX_CARD_BYTES) this.#fail(`a card is longer than ${MAX_CARD_BYTES} bytes`);
			this.#unfinished += piece.length;
			// The library gives nothing of a piece in which it finds an error, so each object is a piece of its own.
			for (let from = 0, to = 0; from < piece.length; from = to) {
				to = piece.indexOf('}', from) + 1 || piece.length;
				await new Promise((resolve) => this.#parser.write(piece.subarray(from, to), resolve));
			}
		}
		return this.#items.length;
	}

	next(): boolean {
		if (this.#next < this.#items.length) {
			this.card = this.#judge(this.#items[this.#next++]);
			return true;
		}
		if (this.#failure) throw this.#failure;
		return false;
	}

	forget(): void {
		for (const item of this.#items) for (const cell of item?.cells ?? []) cell.fill(0);
		this.#items = [];
		this.#next = 0;
	}

	wipe(): void {
		this.forget();
		this.#reader?.card.wipe();
		this.#parser.destroy();
	}

	#take(token: parser.Token): void {
		const assembler = this.#assembler;
		const isOpening = this.#state === 'opening';
		if (isOpening) this.#state = token.name === 'startArray' ? 'list' : 'objects';
		if (isOpening && this.#state === 'list') return;
		if (this.#state === 'closed') this.#fail('nothing may follow the list, but something does');
		if (assembler.depth > MAX_DEPTH) this.#fail(`a card is nested deeper than ${MAX_DEPTH} levels`);
		if (this.#failure) return;
		if (this.#state === 'list' && assembler.done && token.name === 'endArray') {
			this.#state = 'closed';
			return;
		}
		assembler.consume(token);
		if (!assembler.done) return;
		this.#found++;
		this.#unfinished = 0;
		this.#items.push(itemOf(assembler.current));
	}

	#fail(expectation: string): void {
		this.#failure ??= new BatchError(`item ${this.#found + 1}`, expectation);
	}

	#judge(item: Item | undefined): JudgedCard {
		const place = ++this.#read;
		const reader = item ? this.#readerOf(item) : 'expected an object with the members of a card';
		if (typeof reader === 'string') return { ...NO_CARD, error: `item ${place}: ${reader}` };
		reader.read({ place, cells: item!.cells });
		return reader;
	}

	/** Returns the reader for cards with the members of this item, or what is wrong with these members. */
	#readerOf({ names: given, cells }: Item): RowCard | string {
		const names = given.join('\n');
		if (this.#reader?.names === names) return this.#reader.card;
		const columns = findColumns(
			given.map((name) => Buffer.from(name)),
			'member',
		);
		if (typeof columns === 'string') return columns;
		this.#reader?.card.wipe();
		const card = new RowCard({ columns, width: cells.length, counts: 'item' }, this.#now);
		this.#reader = { names, card };
		return card;
	}
}

function itemOf(value: unknown): Item | undefined {
	if (!(value instanceof Members)) return undefined;
	const names: string[] = [];
	const cells: Buffer[] = [];
	const add = (members: Members, path: string) => {
		for (const [name, member] of members) {
			if (member instanceof Members) add(member, `${path}${name}.`);
			else if (!Array.isArray(member)) {
				names.push(path + name);
				cells.push(Buffer.from(String(member ?? '')));
			}
		}
	};
	add(value, '');
	return { names, cells };
}
