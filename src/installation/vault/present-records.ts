// Tells which records of an export are here already.

import type { Clock } from '../../base/clock.ts';
import type { Database } from '../../base/database/open.ts';
import type { KeyRing } from '../../base/keys/key-ring.ts';
import { CardReader, type Resolved } from '../../vault/cards/card-reader.ts';
import { pageStore } from '../../vault/pages/page-store.ts';
import type { RecordFields } from '../../vault/pages/record-codec.ts';
import { LiveTokens } from '../../vault/tokens/live-tokens.ts';
import { leadsTo, type Pointer } from '../../vault/tokens/token.ts';
import type { Candidate } from './import-writer.ts';
import { fieldsOf } from './record-line.ts';

export class PresentRecords {
	readonly #database: Database;
	readonly #reader: CardReader;
	readonly #tokens: LiveTokens;

	constructor(parts: { readonly database: Database; readonly keyRing: KeyRing; readonly clock: Clock }) {
		const { database, keyRing, clock } = parts;
		this.#database = database;
		this.#tokens = new LiveTokens({ database, keyRing, clock });
		this.#reader = new CardReader({ database, keyRing, tokens: this.#tokens, accountId: 'any' });
	}

	/** Returns for each record whether its token is `new` here, leads to the `same` record, or why it cannot be stored. */
	async ask(candidates: readonly Candidate[]): Promise<string[]> {
		if (candidates.length === 0) return [];
		const tokens = Buffer.from(candidates.map(({ record }) => record.token).join(''), 'hex');
		const resolved = await this.#reader.resolve(tokens);
		const pointers = (await this.#tokens.current()).decode(tokens);
		const missing = pointers.filter((pointer, nth) => pointer && !resolved[nth]) as Pointer[];
		const isGone = missing.length === 0 ? () => false : await this.#findGone(missing);
		return candidates.map((candidate, nth) => stateOf(candidate, resolved[nth], isGone(pointers[nth])));
	}

	/**
	 * Finds out which pointers lead to records that there were here. A token of another installation decodes to one by chance,
	 * but then to a page that there never was, or that has another salt.
	 */
	async #findGone(pointers: readonly Pointer[]): Promise<(pointer: Pointer | undefined) => boolean> {
		const { knex, dialect } = this.#database;
		const nextId = (await pageStore(knex, dialect).findNextId()) ?? 0;
		const pages = await pageStore(knex, dialect).findPages(pointers.flatMap(pagesOf));
		const rows = new Map(pages.map((page) => [page.id, page]));
		return (pointer) => {
			for (let each = pointer; each; each = each.or) {
				const row = rows.get(each.page);
				if (row ? leadsTo(each, row) : each.page < nextId) return true;
			}
			return false;
		};
	}

	wipe(): void {
		this.#reader.wipe();
	}
}

const pagesOf = (pointer: Pointer): number[] => [pointer.page, ...(pointer.or ? pagesOf(pointer.or) : [])];

function stateOf({ ownerId, record }: Candidate, found: Resolved | undefined, isGone: boolean): string {
	// What was deleted stays deleted (spec §3.2).
	if (!found) return isGone ? 'this installation made its token, and the card was deleted since' : 'new';
	const fields = fieldsOf(record);
	const isSame = found.page.account_id === ownerId && holds(found, fields);
	fields.digits.fill(0);
	return isSame ? 'same' : 'its token leads to something else here';
}

function holds({ record }: Resolved, { kind, digits, expiry, spelling }: RecordFields): boolean {
	const written = spelling ?? digits;
	return (
		record.kind === kind &&
		record.digits.equals(digits) &&
		record.expiry === expiry &&
		record.presentation.equals(written)
	);
}
